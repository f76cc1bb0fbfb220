import type { Rule } from '../engine/rule.ts'

/**
 * Words for a password, as people write them in a sentence. The scanner searches those in ASCII with all other
 * keywords.
 */
const PASSWORD =
  `password passwd passphrase passcode passwort kennwort losungswort contrase senha wachtwoord paswoord haslo heslo senord
adgangskode passord salasana jelsz sifre parola lozinka geslo kata_sandi mat_khau mot_de_passe mdp clave codigo_de_acceso
пароль пароля пароли парол пасс лозинка гасло κωδικός κωδικος συνθηματικό סיסמה סיסמא كلمة_المرور كلمة_السر كلمه_السر باسورد باسوورد رمز_عبور گذرواژه पासवर्ड रहस्य
密码 密碼 口令 パスワード 暗証番号 合言葉 비밀번호 비번 암호 패스워드 hasło hasłem şifre parolă mật_khẩu slaptažodis รหัสผ่าน`
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' '))

/** Words for keys and tokens in languages other than English. */
const TOKEN =
  `密钥 秘钥 令牌 口令牌 密鑰 トークン apiキー アクセスキー 秘密鍵 シークレット 토큰 api_키 액세스_키 비밀_키 токен ключ секрет كلید مفتاح κλειδί schluessel schl clave_api
clave_de_api clave_secreta chave_de_api chave_api chave_secreta jeton api_token api_key api-key apikey access_token access_key secret_key auth_token client_secret bearer_token license_key product_key recovery_key token_i token_we key_i_ key_we_`
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' '))

export const languageRules: readonly Rule[] = [
  {
    id: 'prose-password',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: [...new Set(PASSWORD), ' pw', '(pw', 'pass phrase', 'pw for', ' pwd'],
    finder: 'proseCredential',
  },
  {
    id: 'prose-token',
    category: 'secret',
    placeholder: 'SECRET',
    keywords: [...new Set(TOKEN)],
    finder: 'proseCredential',
  },
]
