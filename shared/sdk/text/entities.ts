/** The character names that programs commonly write in HTML, each before its character. Other names stay unchanged. */
const characters = `
  amp &  lt <  gt >  quot "  apos '  ndash –  mdash —  hellip …  lsquo ‘  rsquo ’  sbquo ‚  ldquo “  rdquo ”
  bdquo „  laquo «  raquo »  lsaquo ‹  rsaquo ›  bull •  middot ·  copy ©  reg ®  trade ™  rarr →  larr ←  euro €
  pound £  yen ¥  cent ¢  sect §  deg °  plusmn ±  times ×  frac12 ½  szlig ß  auml ä  ouml ö  uuml ü  Auml Ä
  Ouml Ö  Uuml Ü  agrave à  aacute á  acirc â  atilde ã  aring å  aelig æ  ccedil ç  egrave è  eacute é  ecirc ê
  euml ë  igrave ì  iacute í  icirc î  iuml ï  ntilde ñ  ograve ò  oacute ó  ocirc ô  otilde õ  oslash ø
  ugrave ù  uacute ú  ucirc û  yacute ý  Eacute É  Egrave È  Agrave À  Aring Å  AElig Æ  Ccedil Ç  Ntilde Ñ
  Oslash Ø
`
const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from(characters.matchAll(/(\w+) (\S)/g), ([, name, character]) => [name, character])),
  ...{nbsp: " ", zwj: "\u200d", zwnj: "", shy: ""},
}

const fromNumber = (number: number): string => {
  const isCharacter = number > 0 && number <= 0x10ffff && !(number >= 0xd800 && number <= 0xdfff)
  return isCharacter ? String.fromCodePoint(number) : "\ufffd"
}

/** Replaces the character references in HTML text, named and numeric, with their characters. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,7}));?/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return fromNumber(Number.parseInt(hex, 16))
    if (decimal !== undefined) return fromNumber(Number(decimal))
    return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
  })
