import type { RuleTable } from '../engine/rule.ts'
import { SECRET } from './categories.ts'

/**
 * Names of columns with personal or secret cells: beginnings of names, ends of names, and whole names of columns about
 * people. The finder reads the whole name. The labels in `personal-labels.ts` are also names of columns.
 */
export const COLUMN_BEGINNINGS =
  'pass,pwd,secret,token,api_key,apikey,api key,access_t,access_k,auth_tok,first,last,full,surname,given,card,pin,nachname,vorname,nom,prenom,apellido,cognome,achternaam,voornaam,nazwisko'
export const COLUMN_ENDS =
  'password,passwd,pwd,secret,token,api_key,apikey,first_name,firstname,first name,full_name,fullname,full name'
export const COLUMNS_OF_PEOPLE =
  'owner,author,assignee,reporter,creator,full name,display name,maintainer,reviewer,created by,updated by,assigned to,customer,employee,contact'

/** Rules for values below, next to or after the name of their column. */
export const tableRules: RuleTable = {
  defaults: { ...SECRET, inside: true },
  rows: {
    'delimited-table': ['', 'delimitedTable'],
    'ruled-table': [['|--', '| --', '|:-', '| :-', '--|', '-- |', '-+-', '─┼', '═╪', '-- --', '--  '], 'ruledTable'],
    'html-table': ['<th|<td><b|<td><s', 'htmlTable'],
    'inserted-rows': ['values', 'insertedRows'],
  },
}
