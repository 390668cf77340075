const BACKSLASH = '\\'
const LONG = 10_000

/** Texts that attack the page that shows them, or break its layout. Each would run `alert(1)`, if it could run anything. */
const attacks: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)></svg>',
  '"><input autofocus onfocus=alert(1) x="',
  "'-alert(1)-'",
  '</title><script>alert(1)</script>',
  '</textarea></style></dialog><img src=x onerror=alert(1)>',
  '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
  '<base href=https://evil.example/><form action=/x><button>',
  '<style>*{background:url(https://evil.example/css)}</style>',
  '<!--<img src="--><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:alert(1)',
  'java\tscript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}{{7*7}}',
  '${alert(1)}#{7*7}<%= 7*7 %>[[7*7]]',
  '=cmd|" /C calc"!A0',
  'expression(alert(1));background:url(javascript:alert(1))',
  '&lt;script&gt;alert(1)&lt;/script&gt;&#106;avascript&colon;',
  '![image](https://evil.example/pixel.png)',
  '[link](javascript:alert(1)) <javascript:alert(1)>',
  '[reference][1] and ![2][1]\n\n[1]: javascript:alert(1) "title"\n\n',
  `${'['.repeat(300)}x${']'.repeat(300)}(javascript:alert(1))`,
  '<div onclick=alert(1)>\n\n**bold**\n\n</div>\n\n<details open ontoggle=alert(1)>',
  `${'> '.repeat(400)}deep\n\n${'- '.repeat(400)}deep`,
  `| a | b |\n|---|---|\n| ${'|'.repeat(200)} | <img src=x onerror=alert(1)> |\n\n`,
  '```html\n<script>alert(1)</script>\n~~~ # ***_`',
  '\u202Egnihtemos elbadaer\u202D\u2066 mixed \u2067',
  'ze\u200Bro\u200Cwi\u200Ddth\uFEFF\u2060',
  'z̷̛̗̦͍͕̀́̂̃̄̅̆̇̈a̸̧̛̗̘̙̜̝̞̟l̵̛̀́̂̃g̶o̷'.repeat(4),
  '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪🇩👍🏿\u{E0041}',
  'line\u2028separator\u2029and\u0085next\r\nreturn\vtab',
  'NUL\u0000inside',
  'half\uD83Dof a pair',
  '__proto__',
  'constructor',
  '\u001B[31mred\u001B]8;;https://evil.example\u0007link\u001B[0m',
  `${BACKSLASH}u003cscript${BACKSLASH}u003ealert(1)${BACKSLASH}x3c ../../%2e%2e/%00#/settings?x=`,
  'W'.repeat(LONG),
]

/** The place of a text in the list, which it ends with, so that it can be found where it is shown. */
const markerOf = (index: number): string => ` h${String(index).padStart(2, '0')}`

/** An attack, whole and as long as the shortest of fields takes. */
export interface HostileText {
  readonly marker: string
  readonly whole: string
  readonly short: string
}

const SHORTEST = 50

export const hostileTexts: readonly HostileText[] = attacks.map((attack, index) => {
  const marker = markerOf(index + 1)
  return {
    marker: marker.trim(),
    whole: `${attack}${marker}`,
    short: `${attack.slice(0, SHORTEST)}${marker}`,
  }
})
