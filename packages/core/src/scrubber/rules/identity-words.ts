/**
 * Words of names of fields, columns, flags and variables whose value names somebody, in lower case and singular. One
 * table for every format and every tool: the last word of a name decides, `name`, `login` and the like behind it aside.
 */
const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Somebody who did or owns something: the value may be a full name, a first name or an account. */
export const personWords = wordsOf(`
author coauthor owner creator committer maintainer contributor assignee assigned reviewer approver requester requestor
submitter uploader sender recipient organizer organiser attendee participant watcher subscriber signatory holder cardholder actor
invitee inviter commenter tagger registrant deployer initiator originator oncall collaborator employee codeowner starter
responder caretaker triager purchaser follower autor auteur autore verfasser auteurs autores`)

/** A role whose word means other things in code: the value must be a person's full name. */
export const roleWords = wordsOf(`
developer manager lead editor operator customer student teacher patient guest presenter speaker interviewer candidate
applicant beneficiary representative instructor supervisor director consultant engineer architect designer photographer translator
payee buyer seller landlord tenant witness spouse mentor colleague coworker teammate boss artist publisher person doctor nurse lawyer
coach trainer professor wife husband partner neighbour neighbor roommate trustee analyst technician accountant leader chair host
insured principal signer recruiter researcher investigator moderator reporter member contact modifier notified escalated paged rep salesrep tutor`)

/** One word by which people sign in: a full name, a first name or an account. */
export const accountWords = wordsOf(`
login username user account handle nick nickname screenname logname loginname userid uid sudouser runas slackuser slack github gitlab twitter telegram mastodon discord samaccountname authinfo`)

export const organizationWords = wordsOf(`
organization organisation org company employer team workspace institution affiliation vendorname agency businessname
tenant empresa firma azienda bedrijf unternehmen entreprise societe compania`)

/** The value is a machine's name wherever it is none of the words of manuals. */
export const machineWords = wordsOf(
  `hostname computer computername machine machinename workstation localhostname devicename`,
)
/** The value must look like the name of one machine: `thinkpad-x1`. */
export const hostWords = wordsOf(`host node server device fqdn`)

/** What stands before `id`: the identifier of a customer's account. */
export const idOwners = wordsOf(
  `account tenant subscription organization organisation org workspace team project site billing`,
)

/** Words that decide nothing at the end of a name. */
export const nameSuffixes = wordsOf(`name names login username handle slug nick full display to for nickname`)

/**
 * Words before the last one by which the value is a program's or a setting: `DB_USER`, `is_owner`, `default_author`.
 */
export const impersonalWords = wordsOf(`
db database mysql mariadb postgres postgresql pg pgsql mongo mongodb redis rabbitmq amqp mq sql jdbc smtp imap ftp proxy service default
test dummy fake mock anonymous system is has can should no num max min total count on get set use find with without allow deny require
show hide add remove update delete create select any each every new old per all other root admin bot container file cache
minio elastic kafka ldap datasource spring http basic web app query session clickhouse neo4j oracle mssql invalid unknown missing
agent event input output form page view type key index`)

/** Participles before `by` that say nothing of a person. */
export const impersonalDeeds = wordsOf(`
sorted ordered grouped indexed keyed filtered followed divided limited powered caused used provided replaced superseded required
blocked labelled labeled described backed separated delimited terminated affected multiplied partitioned bounded driven inspired
implemented supported produced generated surrounded covered preceded identified defined determined controlled handled called
referenced consumed returned depended imported overridden shadowed clustered encoded needed wrapped enabled managed given
matched stopped scaled shifted increased decreased reduced exceeded injected emitted split joined hosted`)

/** Values that stand where a name goes and name nobody, beyond the words that are common everywhere. */
export const nobody = wordsOf(`
string number integer boolean bool float double varchar char uuid object array void never any unknown undefined null none nil true
false self this that me us everyone anyone someone somebody nobody public private internal external shared personal individual
enterprise business free pro premium standard basic trial owner admin administrator member viewer guest editor author user users
account login username password email name id type value key role roles permission permissions anonymous unassigned unowned auto
automatic default system kernel daemon service services server client host localhost node nodes worker workers master primary
replica secondary frontend backend fullstack platform infra infrastructure engineering engineers developers payments billing growth
mobile security support operations sre devops design marketing sales finance legal product products research data analytics
department organization organisation company team teams group groups staff wheel sudo docker jenkins github gitlab bitbucket
google microsoft amazon facebook apple openai anthropic postgres mysql redis nginx apache elasticsearch kibana grafana prometheus
rabbitmq mongodb cassandra kafka vault consul nomad backup monitor monitoring deploy deployer deployment release releases
builder build runner tester testing tests sample example demo dummy placeholder test1 user1 user2 foobar acme contoso fabrikam
northwind umbrella globex initech required optional enabled disabled pending active inactive open closed done yes unset empty
current creator assignee reporter reviewer approver manager lead customer customers vendor partner partners contact contacts
person people human humans bot bots agent agents assistant tool tools function functions model models inherit initial inherited
root www-data nobody sshd messagebus systemd git svn http https ftp smtp mail postfix dovecot ec2-user ubuntu debian centos fedora
nonroot rootless sysadmin superuser webmaster hostmaster postmaster noreply no-reply info hello office hr accounting
app apps web api cli sdk gui ui ux db sql xml json yaml csv html css text plain markdown utf8 ascii base64 sha256 md5 oauth oidc saml
ldap local remote global cluster namespace tenant workspace project projects repository repo branch commit merge rebase
unauthorized authenticated authorized authorization authentication invited missing multiple various several unspecified redacted
request response session token secret params context config options settings payload currentuser auth props state item items
oauth2 apikey operate view first last full display real given family middle inc llc ltd gmbh corp co submit savings checking reporting report signin signup
signout cancel save login register welcome continue forgot enter please thinking shopping billing shipping minikube kind orbstack colima microk8s rancher`)
