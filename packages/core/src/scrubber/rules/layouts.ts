/** A line break, which may be escaped. */
const BREAK = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)`

/**
 * The text between the name of a field and its value, for each layout. Each regular expression is bounded, and at most
 * six more punctuation marks may precede the value.
 */
const LAYOUTS = [
  // The name on a separate line (`*Phone:*` or `Phone`), a part of a multipart form, or numbered lines of Redis.
  String.raw`${BREAK} {0,3}\d{1,3}\) {0,2}`,
  String.raw`[.:]?\*{0,2}${BREAK}{1,2}(?![^\n]{0,40}:)`,
  // A dump of PHP: `["phone"]=>`, then a line with type and length.
  String.raw`=>\s{0,8}(?:string|int|float)\((?:\d{1,5}\) ?)?`,
  // A value with its type in an inner object (`"phone": {"S": "..."}`), or a value in the next field (`"name": "phone",
  // "value": "..."`).
  String.raw`:\s?\{\s{0,8}\\{0,3}["'](?:number|no|id|value|n[uú]mero|S|N|text|raw|stringValue)\\{0,3}["']:\s?`,
  String.raw`\s{0,4}\}?,\s{0,12}(?:\\{0,3}"(?:type|kind|code|required|format)\\{0,3}"\s?:\s?\\{0,3}"?[\w -]{0,16}\\{0,3}"?,\s{0,12})?\\{0,3}"(?:value\w{0,10}|val|answer|text|content|data|response|v)\\{0,3}"\s?:\s?\[?`,
  // Operators of programming languages.
  String.raw`[ \t]{0,8}[#№]?(?::=|={2,3}|=>|->|\|>|[:=：>#№|│])[ \t]{0,8}(?:(?:Some|Optional|Just)\()?`,
  // Columns and dotted lines of a form, or a dash.
  String.raw` {2,40}|\t{1,4}| [–—-] | ?\.{2,40} ?`,
  // An element inside the element that contains the name, and an element after that element.
  String.raw`[^<>\n"']{0,24}>\s{0,8}(?:<\w{1,12}[^<>\n]{0,40}>\s{0,8}){1,2}`,
  String.raw`(?:<\/\w{1,8}>\s{0,8}){1,2}(?:<\w{1,8}[^<>\n]{0,60}>\s{0,8}){1,3}`,
  // `setPhone("...")`, `expect(user.phone).toBe("...")`, `assertEquals(user.getPhone(), "...")`, an input of a form, and
  // a quoted value after its name.
  String.raw`(?:\.\w{2,20}(?: eq)?)?\((?=["'])|(?:\(\))?, (?=["'])| (?:(?:\w{1,12}=["'][\w -]{0,30}["'] ){0,2}value=(?=["'])|(?=["'\x60«“]))`,
  String.raw` (?:is|was|ist|lautet|war|es|est|era|è|é|er|är|on|je|jest)[: ] ?`,
  '[は于是为為]',
]

/** The source of a regular expression for the text between the name of a field and its value. */
export const JOIN = String.raw`["'\x60*\\\])」]{0,4}(?:${LAYOUTS.join('|')})["'\x60*\\[(「« ]{0,6}`
