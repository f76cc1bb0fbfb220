/**
 * Common words that are also names, accounts or hosts, and words of shells, keyboards and projects. A user called
 * `will` or `dev` is replaced in a path or a trailer, but not in every sentence. The last line has words for the
 * first and second person in several languages.
 */
const WORDS = `
copyright license mit authors author maintainer maintained written signed reviewed permission warranty
able about above access account action active actual add admin after again agent all allow also always amber amp and angel any api app apple apps april
arch area arg args array art ash async audio august aurora auth auto autumn await back backend backup baker bank banks banner bar base bash basic batch
bay bean bear beat bell berry best beta bill bin birch bird bishop bit black blade block bloom blue board bob body bold bond book bool boot bot both bow box
branch brave bridge bright brook brown browser brush buck bud buffer build builder built bull burn bus bush button buy byte cache call camp can cap card care
carol carter case cash cast cat catch center chain chan chance change char chase chat check cherry chip chris church cis city claude clay clean clear client
clone close cloud code codex cold cole color column come comet command commit common compile compose config connect console const container content context
cook cool cooper copilot copy core corn cosmos count cover craft crane cream create cron cross crow crystal cursor custom daemon daily daisy dark dash data
date dawn day dean deb debian debug deep default delta demo deploy desk desktop dev developer devops dial diamond diff dig dir disk display dist docker docs
does domain don done door double down download draft drake draw drive drop druid dusk duke each earl early east easy echo eden edge edit else email emerald
empty end enter entry env error even event ever every example exec exit export extra face fact fail faith falcon false far fast fedora feed felix fetch field file
files fill filter final find fire first fish fix flag flash flint flow fold folder font foo for force ford forest fork form format forward foster fox frame france
frank free frost full func function fund future game garden gate gateway gem gen general generic get ghost git github gitlab give glass global gold good
google grace grant graph gray great green grey grid ground group grove guard guest guide gulf guy had hall handle hank happy harbor hard harry has hash have hawk
hazel head heart heath helm hello help her here hide high hill him his history hold holly home honor hood hook hope host hot hotel hour house how html http hub
hugo hunt hunter icon idea image import inbox index info init inner input insert inside instance int into iris iron island issue item ivy jack jade jam
jasmine java jay jenkins jet jim job jobs join jordan joy json judge july june just kali keen keep kernel key keys kind king kit know lab label labs lake lamb
lambda lamp land lane large lark lash last late later laurel law lead leaf lee left legal lemon less let level lib library light like lily lime line link linux
lion list little live load local location log login logo long look loop lord love low luna lunar mac machine made mail main major make man map march
mark marker mars marsh marshal mason master match matrix matt max may maya mean media melody member memory menu mercury merge mesh message meta metal method mike
mill miller mills min mind mini mint mirror miss mobile mock mode model modern module mon monday monitor moon more moss most mount move much music must mysql
name names nano native nav need nested network never new next nginx nice nick night nil noble node none noon nord normal north not note nothing now null number
oak object ocean off office old olive one only opal open opera ops option orange orchid order org origin other our out outer output over own owner pace pack
package page paint panda panel parent paris park parker parse part parts pass past patch path paul pay peace pearl peer pen penny perl phoenix phone php pick
pierce pike pilot pine ping pink pipe place plain plan plane play plot plum plus point pole policy poll polo pond pool pop poppy port post postgres potter power
present press price prince print private pro process prod profile program project prompt proto provider proxy public pull pulse purple push put python query
queue quick rain random range raw ray read reader ready real rebel record red redis reed ref region release remote render replace repo report request reset
rest result return rice rich ridge right ring rise river road rob robin rock role roman root rose round route router row ruby rule run runner rush rust sage saint
sally same sample sand sandbox sandy save scale scene school scope scott screen script sea search second secret section see select self send server service
session set setup shade shadow shape share sharp sheet shell shield shift shop short show side sierra sign silver simple since single singer site size skill sky
sleep slot small smart smith smoke snap snow solid some son song sonnet sort sound source south space spark sparks spec speed spin spring sql square stack staff
stage staging stand star stark start state static status steel step still stock stone stop store storm story stream street string strong style sub subject such
sudo sue sugar summer summers sun sunday sunny super support sure swan swift sync system tab table tag take talk task team temp temple template term terminal terra
terry test tester testing tests text than that the their them then theo there these they thing think this those time tip title tmp toby today token tom too tool
tools top topic total touch tower trace track trail train tree trick trim trip true trust try turn two type ubuntu ultra under unit update upload upper url use user users
utils val valley value var vector vendor venus verse version very via victor video view villa violet vision void volume vscode wade walk walker wall want ward warm was
watch water wave way weaver web week well wells were west what when where which while white who why wide will wilde win wind window winter wise with wolf wood woods
word words work worker works workspace world worth would wrap write xml yaml year yes yet you young your zero zip zone
alpine amazon android angular anthropic apache aws azure bitbucket cargo chrome cypress django eslint express facebook firefox flask gemini golang graphql gradle
heroku iphone jest jupyter kafka kotlin kubernetes laravel maven meteor microsoft mongo mongodb mozilla mozart netlify nest netflix nextjs notion npm nuxt openai
oracle pandas playwright pnpm prettier prisma pytest rails react sentry shopify slack spotify sqlite stripe supabase svelte tailwind terraform tomcat
twitter typescript vercel vite vitest vue webpack windows yarn youtube zoom zsh laptop computer notebook macbook thinkpad workstation
ich mich mein moi mes toi ton nous notre vous votre mio noi voi meu minha nosotros ustedes usted mijn ons jag mig mitt jeg meg jestem mój moja`

export const commonWords: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))

/** Mailboxes that belong to a role. */
export const MAILBOXES =
  /^(?:info|support|sales|hello|contact|security|help|helpdesk|team|office|services?|admin|mail|me|hi|dev|privacy|legal|press|media|jobs|careers?|billing|abuse|news|newsletter|marketing|feedback|events?|accounts?|accounting|finance|hr|it|ops|orders?|invoices?|webmaster|compliance|data|dpo|gdpr|community|partners?|investors?|booking|reservations?|customer|care|enquiries|inquiries|general|reception|studio|shop|store|kontakt|datenschutz|presse|contacto|contato|ventas|soporte|alerts?|bugs?|reports?|updates?|open|source|oss|docs|design|research|labs?|students?|users?|members?|list|welcome|web|www)$/i
