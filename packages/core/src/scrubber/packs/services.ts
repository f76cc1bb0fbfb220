import { isBase58Check } from '../detectors/checks/base58.ts'
import { luhn } from '../detectors/checks/checksum.ts'
import { findAsPassword, findCommentLabel, findPiped } from '../detectors/secrets/comment-label.ts'
import { findKubernetesSecret, findJwk, findTerraformResult } from '../detectors/secrets/structured-files.ts'
import { findAccountKey, findAfterWord, findAroundMarker, findDiscord } from '../detectors/secrets/marker.ts'
import { proseCredentialFinder } from '../detectors/secrets/prose-credential.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { findCookie, findCurl, findFlag } from '../detectors/secrets/shell.ts'
import { findUrlUser, findUserInfo } from '../detectors/secrets/url-credentials.ts'
import { findVendor } from '../detectors/secrets/vendor-key.ts'
import { isSampleData } from '../detectors/sample-data.ts'
import { GATES } from '../engine/character.ts'
import { isPlaceholderWord } from '../engine/placeholder.ts'
import { isRandom, shapeOf } from '../engine/randomness.ts'
import { expandRules } from '../engine/rule.ts'
import { commandRules, shellRules } from '../rules/commands.ts'
import { frameRules } from '../rules/contexts.ts'
import { fileRules } from '../rules/files-and-calls.ts'
import { languageRules } from '../rules/prose.ts'
import { providerRules } from '../rules/providers.ts'
import { toolRules } from '../rules/tools.ts'
import { vendorRules } from '../rules/vendors.ts'
import { webhookRules } from '../rules/webhooks.ts'
import { moreProviderRules } from '../rules/young-services.ts'
import type { RulePack } from './pack.ts'

/** The checks of keys and secrets. Rules refer to a check by its name. */
const serviceChecks = {
  base58Check: isBase58Check,
  luhn,
  placeholderWord: isPlaceholderWord,
  random: isRandom,
  /** Accepts a value that is random after its first word. With the first word, 1 key in 20 would not look random. */
  randomAfterWord: (value: string): boolean => isRandom(value.replace(/^[a-z]+_/, '')),
  /** Accepts a cookie whose value before the signature is random. */
  randomPart: (value: string): boolean => isRandom(value.replace(/^s(?:%3A|:)|[.=%].*$/g, '')),
  /** Accepts a long value whose beginning is random. */
  randomStart: (value: string): boolean => isRandom(value.slice(0, 60)),
  /** Accepts groups of letters that are not words. */
  randomLetters: (value: string): boolean => shapeOf(value.replace(/[ -]/g, '')).cost >= 5,
}

/**
 * The rules for keys of services with known formats, and for secrets in commands, calls, sentences and files of certain
 * programs.
 */
export const services: RulePack = {
  sections: [
    { rank: 0, rules: expandRules(providerRules) },
    { rank: 10, rules: expandRules(moreProviderRules) },
    { rank: 20, rules: expandRules(webhookRules) },
    { rank: 32, rules: expandRules(shellRules) },
    { rank: 40, rules: expandRules(vendorRules) },
    { rank: 50, rules: expandRules(commandRules) },
    { rank: 60, rules: expandRules(toolRules) },
    { rank: 70, rules: expandRules(frameRules) },
    { rank: 80, rules: expandRules(fileRules) },
    { rank: 100, rules: expandRules(languageRules) },
  ],
  checks: serviceChecks,
  isSampleData,
  finders: {
    cookie: findCookie,
    curl: findCurl,
    flag: findFlag,
    proseCredential: proseCredentialFinder(scoreSecret),
    accountkey: findAccountKey,
    asPassword: findAsPassword,
    azuredevops: findAroundMarker(/[A-Za-z0-9]{76}$/, 76),
    azurekey: findAroundMarker(/[A-Za-z0-9+/]{30,78}$/, 78, false),
    commentLabel: findCommentLabel,
    deepl: findAroundMarker(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36),
    discord: findDiscord,
    ethereum: findAfterWord(/(?:priv(?:ate)?|secret|mnemonic|wallet|signer|deployer|accounts)[^\n]{0,40}$/i, 60),
    facebook: findAroundMarker(/\d{15,17}$/, 18),
    ghost: findAroundMarker(/(?<![0-9a-f])[0-9a-f]{24}$/, 25),
    jwk: findJwk,
    kubernetesSecret: findKubernetesSecret,
    mailchimp: findAroundMarker(/[0-9a-f]{32}$/, 32),
    maxmind: findAroundMarker(/[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$/, 36),
    newrelic: findAroundMarker(/[a-f0-9]{36}$/, 36),
    piped: findPiped,
    rapidapi: findAroundMarker(/[a-z0-9]{8,26}$/i, 26, false),
    result: findTerraformResult,
    telegram: findAroundMarker(/\d{8,10}$/, 10, false),
    terraform: findAroundMarker(/[A-Za-z0-9]{14}$/, 14),
    urluser: findUrlUser,
    userinfo: findUserInfo,
    vendor: findVendor,
  },
  gates: {
    discord: { prior: GATES.word, ahead: [7, '.'] },
    facebook: { prior: GATES.digit },
    ghost: { prior: GATES.hex },
  },
}
