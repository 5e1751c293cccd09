import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {search} from "../../../cli/kit/manual.ts"
import {readPages} from "../../../server/runtime/manual.ts"
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

test("svc docs finds a page by what a newcomer asks, among the first three sections", () => {
  const pages = readPages(root)
  const asked = `
    going to production > docs/operate/run.md | restore a backup > docs/backup.md
    bot does not answer > docs/operate/incident.md | where is the token > docs/operate/change.md
    upgrade > docs/versions.md | telegram group privacy > docs/adapters/telegram.md
    how do I change the language > docs/plugins/languages.md | running in Docker > docs/deploy/compose.md
    schedule a message every day > docs/schedule.md | Who may use a command? > docs/operate/permissions.md
    delete a user's data > docs/privacy.md | https with a reverse proxy > docs/deploy/gateway.md
    why was my message sent twice > docs/promise.md | testing my plugin > docs/test-a-plugin.md
    disk is full > docs/operate/run.md | start the bot after a reboot > docs/deploy/service.md
    write my first plugin > docs/plugins/first.md | stop spam > plugins/moderation/README.md`
  const questions = Array.from(asked.matchAll(/([^|>\n]+) > (\S+)/g), ([, words = "", page]) => ({words, page}))
  expect(questions).toHaveLength(18)
  const firstPages = (words: string) => search(pages, words.trim()).flatMap(({path}, at) => (at < 3 ? [path] : []))
  expect(questions.filter(({words, page = ""}) => !firstPages(words).includes(page))).toEqual([])
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
