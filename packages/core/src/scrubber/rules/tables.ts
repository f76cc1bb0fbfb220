import type { Rule } from '../engine/rule.ts'

/**
 * The beginnings and ends of names of columns with personal or secret cells. The finder reads the whole name. The words
 * of `personal-labels.ts` also lead to a table.
 */
const BEGINNINGS =
  'pass,pwd,secret,token,api_key,apikey,api key,access_t,access_k,auth_tok,date_of_b,date of b,first,last,full,surname,given,address,addr,home_add,card,pin,nachname,vorname,nom,prenom,apellido,cognome,achternaam,voornaam,nazwisko'
const ENDS =
  'password,passwd,pwd,secret,token,api_key,apikey,date of birth,first_name,firstname,first name,full_name,fullname,full name,address'

const DELIMITERS = [',', '\t', ';', '|']
const QUOTED = [',"', ';"']

const table = (id: string, finder: string, keywords: readonly string[]): Rule => ({
  id,
  category: 'secret',
  placeholder: 'SECRET',
  keywords,
  inside: true,
  finder,
})

/** Names of columns about people. */
const NAMED =
  'owner,author,assignee,reporter,creator,full name,display name,maintainer,reviewer,created by,updated by,assigned to,customer,employee,contact'.split(
    ',',
  )

/** Rules for values below, beside or after the name of their column. */
export const tableRules: readonly Rule[] = [
  table('delimited-table', 'delimitedTable', [
    ...BEGINNINGS.split(',').flatMap((word) =>
      [...DELIMITERS, ...QUOTED, ', '].map((delimiter) => `${delimiter}${word}`),
    ),
    ...NAMED.flatMap((word) => [',', '\t', ';'].map((delimiter) => `${delimiter}${word}`)),
    ...ENDS.split(',').flatMap((word) => [...DELIMITERS, '",', '";'].map((delimiter) => `${word}${delimiter}`)),
  ]),
  table('ruled-table', 'ruledTable', ['|--', '| --', '|:-', '| :-', '--|', '-- |', '-+-', '─┼', '═╪', '-- --', '--  ']),
  table('html-table', 'htmlTable', ['<th', '<td><b', '<td><s']),
  table('inserted-rows', 'insertedRows', ['values']),
]
