import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import typescript from "typescript"
import {root} from "../root.ts"

/** Taken once: Vitest reaches into a library through a proxy. */
const {
  forEachChild,
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
} = typescript

/** A text of the product that a test expects word for word. */
export interface ExpectedProse {
  /** Relative to the repository. */
  readonly path: string
  /** Counted from 1. */
  readonly line: number
  /** The first four or more words that the product has, too. */
  readonly words: string
}

/**
 * The most such places. A change lowers it, and never raises it: a test expects codes, states, rows, links and numbers,
 * or takes the text from the product's own table. The rest are the tests that hold a table of texts, and texts of a test
 * that the product has by chance.
 */
export const mostPlaces = 40

/** This many words in the same order are rarely a coincidence. */
const run = 4

/** Calls that find or wait for a text: their arguments are expectations like those of `expect`. */
const finders =
  /^(?:expect(?!NoBarriers)\w*|assert\w*|until\w+|wait\w*|(?:get|find|query)(?:All)?By\w+|locator|filter|includes|startsWith|endsWith|test|match|exec|search|indexOf|lastIndexOf|count|button|reads|isTold|confirm|sees|hears)$/

/** Calls whose first argument is a name that people read, not an expectation. */
const titles = /^(?:test|it|describe|suite|until)$/

const filesBelow = (folders: readonly string[]): readonly string[] =>
  folders
    .flatMap(folder =>
      readdirSync(join(root, folder), {recursive: true, encoding: "utf8"}).map(file => join(folder, file)),
    )
    .filter(file => /\.ts$|^server\/.*\.json$/.test(file))
    .sort()

/** The words of a text, one list for each stretch without a number, an address, code or an inserted value. */
const stretchesOf = (text: string): readonly (readonly string[])[] => {
  const stretches: string[][] = [[]]
  for (const part of text.split(/\s+/)) {
    const word = part.replace(/^[("'“‘`[]+|[)"'”’`\].,:;!?]+$/g, "")
    if (/^\p{L}[\p{L}’'-]*$/u.test(word)) stretches.at(-1)?.push(word)
    else stretches.push([])
    if (/[.:;!?]["')]*$/.test(part)) stretches.push([])
  }
  return stretches
}

const runsOf = (text: string): readonly string[] =>
  stretchesOf(text).flatMap(words =>
    words.slice(run - 1).flatMap((_, index) => {
      const some = words.slice(index, index + run)
      // A command is no prose: it has to work as written.
      return some.slice(0, 2).includes("svc") ? [] : [some.join(" ")]
    }),
  )

/** SQL and the source of a plugin are no prose. */
const isSource = (text: string) =>
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|DROP)\b|^\s*import \{|export default/.test(text)

/** The text of a literal; inserted values and the signs of a pattern become a full stop, which ends a run. */
const textOf = (node: typescript.Node): string | undefined => {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({literal}) => literal.text)].join(" . ")
  if (isRegularExpressionLiteral(node))
    return node.text
      .replace(/^\/|\/[a-z]*$/g, "")
      .replace(/\\[sSdDwWbB]|[.][*+?]?/g, match => (match === "." ? "." : " . "))
      .replace(/\\(.)/g, "$1")
      .replace(/[|()[\]{}^$*+?]/g, " . ")
  return undefined
}

const nameOf = (call: typescript.CallExpression): string => {
  const {expression} = call
  if (isIdentifier(expression)) return expression.text
  return isPropertyAccessExpression(expression) ? expression.name.text : ""
}

/** Whether a call is a matcher: a method behind `expect(…)`, or `expect.stringContaining(…)`. */
const isMatcher = (call: typescript.CallExpression): boolean => {
  let inner: typescript.Expression = call.expression
  while (isPropertyAccessExpression(inner) || isCallExpression(inner)) inner = inner.expression
  return isIdentifier(inner) && inner.text === "expect"
}

/** Whether a call's argument is an expectation. The body of a test is none by itself, nor is a title. */
const expects = (call: typescript.CallExpression, index: number, isExpected: boolean): boolean => {
  const name = nameOf(call)
  if (titles.test(name) && isIdentifier(call.expression)) return index > 0 && isExpected
  return isExpected || isMatcher(call) || finders.test(name)
}

type See = (text: string, node: typescript.Node, isExpected: boolean) => void

/** Visits each text of a source below a node, SQL and imports aside. */
const visitTexts = (node: typescript.Node, see: See, isExpected = false): void => {
  if (isImportDeclaration(node)) return
  const text = textOf(node)
  if (text !== undefined && !isSource(text)) see(text, node, isExpected)
  if (isCallExpression(node)) {
    visitTexts(node.expression, see, isExpected)
    for (const [index, argument] of node.arguments.entries())
      visitTexts(argument, see, expects(node, index, isExpected))
  } else
    forEachChild(node, child => {
      visitTexts(child, see, isExpected)
    })
}

const parse = (path: string, text: string) => typescript.createSourceFile(path, text, typescript.ScriptTarget.Latest)

/** Returns all runs of words in the texts of the product: its strings and templates. */
export const readProductRuns = (): ReadonlySet<string> => {
  const runs = new Set<string>()
  for (const path of filesBelow(["cli", "container", "server", "shared"])) {
    if (path.startsWith("cli/init/template/")) continue
    visitTexts(parse(path, readFileSync(join(root, path), "utf8")), text => {
      for (const words of runsOf(text)) runs.add(words)
    })
  }
  return runs
}

/** Returns each place where a test's source expects words of the product. */
export const expectedProseIn = (
  path: string,
  text: string,
  product: ReadonlySet<string>,
  all = false,
): readonly ExpectedProse[] => {
  const source = parse(path, text)
  const found: ExpectedProse[] = []
  visitTexts(source, (literal, node, isExpected) => {
    if (!isExpected && !all) return
    const words = runsOf(literal).find(some => product.has(some))
    if (words === undefined) return
    found.push({path, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, words})
  })
  return found
}

/** Returns all such places below `tests/`. */
export const readExpectedProse = (all = false): readonly ExpectedProse[] => {
  const product = readProductRuns()
  return filesBelow(["tests"]).flatMap(path =>
    expectedProseIn(path, readFileSync(join(root, path), "utf8"), product, all),
  )
}
