import {existsSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {root} from "../../support/host/runtimes.ts"

const page = readFileSync(join(root, "docs/security.md"), "utf8")

/** Returns the cells of each row of a table, without its head. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row = ""]) => row.split("|").map(cell => cell.trim()))
    .filter(([first = ""]) => !/^(---|Promise|Chapter)/.test(first))

const testsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]*\btests\/[^`]*)`/g)].map(([, file = ""]) => file)

const [promises = "", chapters = ""] = page.split(/^## OWASP .*$/m)

test("every test file that the security page names exists", () => {
  const files = testsIn(page)
  expect(files.length).toBeGreaterThan(40)
  expect(files.filter(file => !file.endsWith(".test.ts") || !existsSync(join(root, file)))).toEqual([])
})

test("every promise of the security page names its test", () => {
  const rows = rowsOf(promises)
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.filter(([, shown = ""]) => testsIn(shown).length === 0)).toEqual([])
})

test("the security page has each chapter of ASVS 5.0 once, with its state and gaps", () => {
  const rows = rowsOf(chapters)
  expect(rows.map(([chapter = ""]) => chapter.split(" ")[0])).toEqual(
    Array.from({length: 17}, (_, index) => `V${index + 1}`),
  )
  for (const [chapter, state = "", shown = "", missing = ""] of rows) {
    expect(state, chapter).toMatch(/^(In part(, rest gateway)?|Gateway, rest in part|Not met|Not applicable)$/)
    expect(testsIn(shown).length > 0, chapter).toBe(state !== "Not applicable")
    expect(missing, chapter).not.toBe("")
  }
})
