import {attention, codeText, labelEnd, labelStartImage, labelStartLink} from "micromark-core-commonmark"
import {gfm} from "micromark-extension-gfm"

// The parser's time grows with the square of some counts, which no person reaches.

/** The containers that one line may open or continue: `>`, `-`, `1.`, or their indentation. */
const deepest = 16
const marker = "(?:>|[-+*][ \\t]|\\d{1,9}[.)][ \\t])"
const tooDeep = new RegExp(`^((?:[ \\t]*${marker}){${deepest}}|[ \\t]{${deepest * 2},}(?=${marker}))`, "gm")

/** Returns the text in which no line has more containers: what follows a character without width is text. */
export const withoutDepth = (text: string): string => text.replace(tooDeep, "$1\u200B")

/** The most lines and cells. */
const mostBlocks = 4000

/** Has a text more lines or cells of tables than the parser reads in half a second? */
export const isTooLong = (text: string): boolean => {
  let count = 0
  for (const character of text) if ((character === "\n" || character === "|") && ++count > mostBlocks) return true
  return false
}

const most = {marks: {paragraph: 100, text: 4000}, words: {paragraph: 1000, text: 10_000}} as const

type Construct = typeof attention
type Extension = ReturnType<typeof gfm>

/** Returns a function that limits how often constructs are tried; what they would read further is text. */
const limiting = ({paragraph, text}: {readonly paragraph: number; readonly text: number}) => {
  let all = 0
  const counts = new WeakMap<object, number>()
  return (construct: Construct): Construct => ({
    ...construct,
    name: `limited ${construct.name}`,
    tokenize(effects, ok, nok) {
      const count = (counts.get(this) ?? 0) + 1
      counts.set(this, count)
      return count > paragraph || ++all > text ? nok : construct.tokenize.call(this, effects, ok, nok)
    },
  })
}

const tilde = 126

/** Returns GFM's syntax for one text, without footnotes. */
export const boundedSyntax = (): readonly Extension[] => {
  const marks = limiting(most.marks)
  const words = limiting(most.words)
  const {document: _, text = {}, ...rest} = gfm()
  const bounded = Object.entries(text).map(([code, constructs]) => {
    const kept = [constructs ?? []].flat().filter(({name}) => !/footnote/i.test(String(name)))
    return [code, kept.map(Number(code) === tilde ? marks : words)] as const
  })
  const own = [attention, labelStartLink, labelStartImage, labelEnd, codeText]
  const [mark, start, image, end, ticks] = own.map(marks)
  return [
    {
      disable: {null: own.map(({name}) => String(name))},
      text: {33: image, 42: mark, 91: start, 93: end, 95: mark, 96: ticks},
    } as Extension,
    // The last is tried first.
    {...rest, text: Object.fromEntries(bounded)},
  ]
}
