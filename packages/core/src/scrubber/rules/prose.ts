import type { RuleTable } from '../engine/rule.ts'
import { PASSWORD, SECRET } from './categories.ts'

/**
 * Rules for secrets in sentences, after a word for a password, a key or a token. The scanner searches the ASCII words
 * together with all other keywords.
 */
export const languageRules: RuleTable = {
  rows: {
    'prose-password': [
      `password|passwd|passphrase|passcode|passwort|kennwort|losungswort|contrase|senha|wachtwoord|paswoord|haslo|
      heslo|senord|adgangskode|passord|salasana|jelsz|sifre|parola|lozinka|geslo|kata sandi|mat khau|mot de passe|
      mdp|clave|codigo de acceso|пароль|пароля|пароли|парол|пасс|лозинка|гасло|κωδικός|κωδικος|συνθηματικό|סיסמה|
      סיסמא|كلمة المرور|كلمة السر|كلمه السر|باسورد|باسوورد|رمز عبور|گذرواژه|पासवर्ड|रहस्य|密码|密碼|口令|パスワード|暗証番号|合言葉|
      비밀번호|비번|암호|패스워드|hasło|hasłem|şifre|parolă|mật khẩu|slaptažodis|รหัสผ่าน| pw|(pw|pass phrase|pw for| pwd`,
      'proseCredential',
      PASSWORD,
    ],
    'prose-token': [
      `密钥|秘钥|令牌|口令牌|密鑰|トークン|apiキー|アクセスキー|秘密鍵|シークレット|토큰|api 키|액세스 키|비밀 키|токен|ключ|секрет|كلید|مفتاح|κλειδί|
      schluessel|schl|clave api|clave de api|clave secreta|chave de api|chave api|chave secreta|jeton|api token|
      api key|api-key|apikey|access token|access key|secret key|auth token|client secret|bearer token|license key|
      product key|recovery key|token i|token we|key i |key we `,
      'proseCredential',
      SECRET,
    ],
  },
}
