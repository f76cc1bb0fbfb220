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
insured principal signer recruiter researcher investigator moderator reporter member contact modifier receiver policyholder notified escalated paged rep salesrep tutor`)

/** One word by which people sign in: a full name, a first name or an account. */
export const accountWords = wordsOf(`
login username user account handle nick nickname screenname logname loginname userid uid sudouser runas slackuser slack github gitlab twitter telegram mastodon discord samaccountname authinfo`)

export const organizationWords = wordsOf(`
organization organisation org company employer team workspace institution affiliation vendorname agency businessname
tenant subdomain empresa firma azienda bedrijf unternehmen entreprise societe compania`)

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
