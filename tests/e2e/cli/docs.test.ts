import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {printed, printedJson, runCommand} from "../../support/host/command-line.ts"
import {makeProject} from "../../support/host/project.ts"
import {root} from "../../support/host/runtimes.ts"

interface Found {
  readonly path: string
  readonly heading: string
  readonly text: string
}

test("svc docs lists each page of the package once, with its title and first sentence", async () => {
  const list = await printedJson<readonly Record<"path" | "title" | "about", string>[]>(makeProject(), "docs")
  const paths = list.map(({path}) => path)
  expect(paths).toEqual(expect.arrayContaining(["README.md", "docs/backup.md", "examples/agent/README.md"]))
  expect(new Set(paths).size).toBe(paths.length)
  expect(list.filter(({title, about}) => title === "" || about === "")).toEqual([])
})

test.each(["restore checkpoint", "RESTORE Chéckpoint"])("svc docs %s prints the best section", async words => {
  const found = await printedJson<readonly Found[]>(makeProject(), `docs ${words}`)
  const [best] = found
  expect(best?.path).toBe("docs/backup.md")
  expect(best?.text).toMatch(/restore/i)
  expect(found).toHaveLength(6)
  const text = await printed(makeProject(), `docs ${words}`)
  expect(text).toContain(best?.text)
  for (const {path, heading} of found.slice(1)) expect(text).toContain(`${path}: ${heading}`)
})

test("svc docs takes a comment in an example for no heading", async () => {
  const found = await printedJson<readonly Found[]>(makeProject(), "docs definePlugin")
  expect(found.filter(({heading}) => heading.includes(".ts"))).toEqual([])
})

test("svc docs --page prints a whole page", async () => {
  expect(await printed(makeProject(), "docs --page docs/backup.md")).toContain(
    readFileSync(`${root}docs/backup.md`, "utf8").trim(),
  )
})

test("svc docs names the nearest word of the pages, and refuses a path outside of them", async () => {
  const nothing = await runCommand(makeProject(), "docs chekpoint")
  expect(nothing).toMatchObject({code: 1, stdout: "", stderr: expect.stringContaining('"checkpoint"')})
  expect(await runCommand(makeProject(), "docs --page ../package.json")).toMatchObject({code: 1, stdout: ""})
})
