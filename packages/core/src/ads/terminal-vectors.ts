/** A text from an untrusted source, the result of `terminalSafe`, and the columns that the result needs. */
export interface TerminalVector {
  readonly name: string
  readonly text: string
  readonly safe: string
  readonly cells: number
}

const v = (name: string, text: string, safe: string, cells: number = safe.length): TerminalVector => ({
  name,
  text,
  safe,
  cells,
})

/**
 * Test vectors for `terminalSafe` and `cells`, for clients in any language: plain data in which everything is escaped.
 */
export const terminalVectors: readonly TerminalVector[] = [
  v(
    'plain text stays',
    'Deploys in a minute. 100% free & "quoted" <b>',
    'Deploys in a minute. 100% free & "quoted" <b>',
  ),
  v('nothing stays nothing', '', ''),
  v('C0 controls go', 'a\u0000b\u0007c\u0008d\u000ee\u001ff', 'abcdef'),
  v('DEL goes', 'a\u007fb', 'ab'),
  v('C1 controls go', 'a\u0080b\u0084c\u008dd\u009ce', 'abcde'),
  v('line breaks of every kind become a space', 'a\nb\rc\r\nd\u000be\u000cf\u0085g\u2028h\u2029i', 'a b c d e f g h i'),
  v('tabs and odd spaces become one space', 'a\t\tb\u00a0\u2003c\u3000d\u1680e\u2800f', 'a b c d e f'),
  v('spaces around go', '  \n a  b \t', 'a b'),
  v('CSI colours are removed completely', '\u001b[31mred\u001b[0m \u001b[1;38;2;1;2;3mtrue\u001b[m', 'red true'),
  v(
    'CSI with private parameters and intermediates is removed completely',
    'a\u001b[?25lb\u001b[>0;10cc\u001b[4 qd',
    'abcd',
  ),
  v('CSI in its 8-bit form is removed completely', 'a\u009b2Jb\u009b1;1Hc', 'abc'),
  v('the received part of an incomplete CSI is removed', 'a\u001b[12', 'a'),
  v('OSC ended by BEL is removed with its content', 'a\u001b]0;new title\u0007b', 'ab'),
  v(
    'OSC ended by ST is removed with its content',
    'a\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\b',
    'alinkb',
  ),
  v('OSC in its 8-bit form is removed with its content', 'a\u009d52;c;cm0gLXJm\u009cb', 'ab'),
  v('OSC without an end is removed with the rest of the text', 'a\u001b]52;c;cm0gLXJmIH4=', 'a'),
  v(
    'DCS, SOS, PM and APC are removed with their content',
    'a\u001bP1$r0m\u001b\\b\u001bXsos\u001b\\c\u001b^pm\u001b\\d\u001b_apc\u001b\\e\u0090x\u009cf',
    'abcdef',
  ),
  v('a string that another sequence interrupts ends there', 'a\u001b]0;t\u001b[31mb', 'ab'),
  v(
    'two- and three-character escapes are removed completely',
    'a\u001bcb\u001b7c\u001b(0d\u001b#8e\u001b%Gf',
    'abcdef',
  ),
  v('a lone escape is removed', 'a\u001b', 'a'),
  v('escapes within escapes leave no working escape', 'a\u001b\u001b[[31mb', 'a31mb'),
  v('bidirectional controls go', 'a\u202eb\u202dc\u2066d\u2069e\u200ef\u200fg\u061ch\u202ai\u202cj', 'abcdefghij'),
  v('zero-width characters go', 'a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u034fh\u180ei', 'abcdefghi'),
  v('invisible fillers go', 'a\u115fb\u1160c\u3164d\uffa0e', 'abcde'),
  v('tag characters go', 'a\u{e0041}\u{e007f}b', 'ab'),
  v('variation selectors go', '\u2764\ufe0f a\u{e0101}', '\u2764 a'),
  v('private-use and unassigned characters are removed', 'a\ue0b0b\u{f0000}c\u{e01f0}d\uffffe', 'abcde'),
  v('a lone surrogate becomes U+FFFD', 'a\ud800b\udfffc', 'a\ufffdb\ufffdc'),
  v('right-to-left letters stay', '\u05e9\u05dc\u05d5\u05dd', '\u05e9\u05dc\u05d5\u05dd'),
  v('combining marks are composed', 'e\u0301', '\u00e9'),
  v('two marks on one character are kept', 'x\u0301\u0323', 'x\u0323\u0301', 1),
  v(
    'a long series of marks is cut to two',
    `z${'\u0311'.repeat(60)}a${'\u0489'.repeat(60)}`,
    'z\u0311\u0311a\u0489\u0489',
    2,
  ),
  v('marks at the start and after a space are removed', '\u0301\u0302a \u0301b', 'a b'),
  v('Thai keeps its vowel and tone', '\u0e17\u0e35\u0e48', '\u0e17\u0e35\u0e48', 1),
  v('wide characters take two columns', '\u65e5\u672c a', '\u65e5\u672c a', 6),
  v('full-width and half-width forms', '\uff21\uff71', '\uff21\uff71', 3),
  v('Korean composes and is wide', '\u1112\u1161\u11ab', '\ud55c', 2),
  v('an emoji takes two columns', '\u{1f680}!', '\u{1f680}!', 3),
  v('a joined emoji is split into its parts', '\u{1f468}\u200d\u{1f469}', '\u{1f468}\u{1f469}', 4),
  v('200 units are kept, and the next one is removed', 'a'.repeat(201), 'a'.repeat(200)),
  v('a cut never splits a character', `${'a'.repeat(199)}\u{1f680}b`, 'a'.repeat(199)),
  v('the length is counted after cleaning', `${'\u200b'.repeat(500)}${'\u001b[31m'.repeat(100)}end`, 'end'),
]
