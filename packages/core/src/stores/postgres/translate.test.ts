import { expect, test } from 'vitest'
import { previousRowCount, parameter, translate } from './translate.ts'

const p = parameter

test.each([
  ['select iif(a = ?, 1, max(b, 2)) from x', `select (case when a = ${p} then 1 else greatest(b, 2) end) from x`],
  ['select max(a) from x where b is not ?', `select max (a) from x where b is distinct from ${p}`],
  ['select a from x where b is null or c is ?', `select a from x where b is null or c is not distinct from ${p}`],
  ['select 1 from x cross join y on y.a = x.a', 'select 1 from x join y on y . a = x . a'],
  ['select 1 from x cross join y where true', 'select 1 from x cross join y where true'],
  ['select 1 from x where +"a" = 1 order by +"a"', 'select 1 from x where "a" = 1 order by "a"'],
  ['select a + 1 from x where changes() > 0', `select a + 1 from x where ${previousRowCount} > 0`],
  ["select 'a?b' from x where y = ?", `select 'a?b' from x where y = ${p}`],
  ['select unhex(?)', `select decode(substring(${p} from '^(?:[0-9a-fA-F]{2})*$'), 'hex')`],
  [
    'insert into x (a) values (?) on conflict ("x"."a") do nothing',
    `insert into x (a) values (${p}) on conflict ("a") do nothing`,
  ],
  ['insert or ignore into x (a) values (1)', 'insert into x (a) values (1) on conflict do nothing'],
  [
    "select item.value->>'a', item.key from json_each(?) item",
    `select (item.value)::jsonb ->> 'a' , (item.key - 1) from jsonb_array_elements((${p})::jsonb) with ordinality as item(value, key)`,
  ],
  [
    "select json_object('a', json_group_array(b)) from x",
    "select (json_build_object('a', coalesce(json_agg(b), '[]')))::text from x",
  ],
  [
    "select printf('%08x-%04x', ?, a)",
    `select ('' || lpad(to_hex(${p}), 8, '0') || '-' || lpad(to_hex(a), 4, '0') || '')`,
  ],
  ["select a ->> '$.b.c' from x", `select (a)::jsonb #>> '{b,c}' from x`],
  ['select 1 as isFound from (select 2)', 'select 1 as "isFound" from (select 2) as unnamed'],
])('translate turns %s into the SQL of Postgres', (text, expected) => {
  expect(translate(text)).toBe(expected)
})
