import {readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {documentedParts, isNotRun} from "../../support/docs/documented-parts.ts"
import {notRun} from "../../support/docs/not-run.ts"
import {runBy} from "../../support/docs/run-by.ts"
import {root} from "../../support/host/runtimes.ts"

test("a test runs each command of the documentation, or the list says why none does", () => {
  const parts = documentedParts
    .map(part => ({...part, commands: part.commands.filter(command => !isNotRun(part.page, command))}))
    .filter(({page, heading, commands}) => commands.length > 0 && runBy[page]?.[heading] === undefined)
  expect(parts).toEqual([])
})

test("a test that is listed for part of a page names that page and part", () => {
  const wrong = Object.entries(runBy).flatMap(([page, parts]) =>
    Object.entries(parts).filter(([heading, file]) => {
      const source = readFileSync(join(root, "tests", file), "utf8")
      const hasPart = documentedParts.some(part => part.page === page && part.heading === heading)
      return !hasPart || !source.includes(`"${page}"`)
    }),
  )
  expect(wrong).toEqual([])
})

test("each listed command without a test is on its page", () => {
  const stale = notRun.flatMap(({page, starts}) =>
    starts.filter(
      start => !documentedParts.some(part => part.page === page && part.commands.some(each => each.startsWith(start))),
    ),
  )
  expect(stale).toEqual([])
})
