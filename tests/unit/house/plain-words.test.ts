import {expect, test} from "vitest"
import {type Line, linesOfProse, riddles, sentencesOf, widthOf} from "../../../scripts/words/prose.ts"
import {readSources} from "../../../scripts/words/sources.ts"
import {readDocuments} from "../../support/docs/documents.ts"

/** The handwritten pages. Reference pages are generated. */
const pages = readDocuments().filter(({path}) => !path.startsWith("docs/reference/"))

const lines = pages.flatMap(({path, text}) => linesOfProse(path, text))

const where = ({path, number, text}: Line) => `${path}:${number}: ${text.trim()}`

test("a line of the documentation has at most 120 characters, links aside", () => {
  expect(lines.filter(({isTable, text}) => !isTable && widthOf(text) > 120).map(where)).toEqual([])
})

test("each sentence of the documentation starts a line", () => {
  expect(lines.filter(({isTable, text}) => !isTable && sentencesOf(text).length > 1).map(where)).toEqual([])
})

test("the documentation has no phrase that hides who acts", () => {
  expect(lines.filter(({text}) => riddles.test(text)).map(where)).toEqual([])
})

test("no text, comment or test name has a phrase that hides who acts", () => {
  const found = readSources().flatMap(({path, source}) =>
    source
      .split("\n")
      .flatMap((text, index) => (riddles.test(text) ? [where({path, number: index + 1, text, isTable: false})] : [])),
  )
  expect(found).toEqual([])
})

test("the checks find what they look for", () => {
  const text =
    "Short. Two sentences.\n\n```sh\nNot. Here.\n```\n| Not. Here. | either |\nIt goes by the name.\nSee `a. B` for it.\n"
  const found = linesOfProse("page.md", text)
  expect(found.map(({number}) => number)).toEqual([1, 6, 7, 8])
  expect(found.filter(({isTable, text}) => !isTable && sentencesOf(text).length > 1).map(({number}) => number)).toEqual(
    [1],
  )
  expect(found.filter(({text}) => riddles.test(text)).map(({number}) => number)).toEqual([7])
  expect(widthOf("[a page](https://example.org/a/very/long/address)")).toBe("[a page]".length)
})
