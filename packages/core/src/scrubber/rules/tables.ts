import type { Rule } from '../engine/rule.ts'

/**
 * What the names of columns begin or end with whose cells tell of a person or are secret; the finder reads the whole
 * name.
 */
const BEGINNINGS =
  'pass,pwd,secret,token,api_key,apikey,api key,access_t,access_k,auth_tok,ssn,social,dob,birth,date_of_b,date of b,phone,mobile,tel,iban,account_n,account n,first,last,full,surname,given,address,addr,home_add,driver,card,pin,nachname,vorname,nom,prenom,apellido,cognome,achternaam,voornaam,nazwisko'
const ENDS =
  'password,passwd,pwd,secret,token,api_key,apikey,ssn,dob,birthdate,birth_date,birth date,birthday,date of birth,phone,mobile,phone number,iban,first_name,firstname,first name,full_name,fullname,full name,address,passport'

const DELIMITERS = [',', '\t', ';', '|']

const table = (id: string, finder: string, keywords: readonly string[]): Rule => ({
  id,
  category: 'secret',
  placeholder: 'SECRET',
  keywords,
  inside: true,
  finder,
})

/** Heads of columns about people, accounts and machines, with the blanks between columns. */
const HEADS =
  'user,owner,author,login,account,assignee,reporter,creator,username,user name,member,members,name,hostname,host,node,computer,machine,organization,org,org id,team,workspace,tenant,uid,maintainer,requester,submitter,committer,created by,updated by,modified by,requested by,handle,contact,reviewer,employee,customer,project id,account id,tenant id,assigned to,authinfo,role name'
const FIXED_WIDTH = HEADS.split(',').flatMap((head) => [`${head}  `, `  ${head}`])
const NAMED = HEADS.split(',').filter((head) => head !== 'name')

/** Values below, beside or behind the name of their column. */
export const tableRules: readonly Rule[] = [
  table('delimited-table', 'delimitedTable', [
    ...BEGINNINGS.split(',').flatMap((word) => [...DELIMITERS, ', ', ',"'].map((delimiter) => `${delimiter}${word}`)),
    ...NAMED.flatMap((word) => [`,${word}`, `\t${word}`, `;${word}`]),
    ...ENDS.split(',').flatMap((word) => [...DELIMITERS, '",'].map((delimiter) => `${word}${delimiter}`)),
  ]),
  table('ruled-table', 'ruledTable', ['|--', '| --', '|:-', '| :-', '--|', '-- |', '-+-', '─┼', '═╪', '-- --', '--  ']),
  table('html-table', 'htmlTable', ['<th', '<td><b', '<td><s']),
  table('inserted-rows', 'insertedRows', ['values']),
  table('copied-rows', 'copiedRows', [' from stdin']),
  table('fixed-width-table', 'fixedWidthTable', FIXED_WIDTH),
  table('vertical-record', 'verticalRecord', ['. row **', '-[ record']),
]
