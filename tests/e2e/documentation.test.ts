import {expect, test} from "vitest"
import {type Fence, readDocuments} from "../support/documents.ts"
import {svc} from "../support/host.ts"
import {runProcess} from "../support/process.ts"
import {makeProject, type Project} from "../support/project.ts"
import {onBun, root} from "../support/runtimes.ts"

const guides = readDocuments().filter(({fences}) => fences.some(({file}) => file.startsWith("plugins/")))

const write = (fences: readonly Fence[], config: string): Project =>
  makeProject({
    config,
    files: Object.fromEntries(fences.filter(({file}) => file !== "").map(({file, text}) => [file, text])),
  })

test("there are guides with examples", () => {
  expect(guides.map(({path}) => path)).toEqual(["docs/write-a-plugin.md", "docs/write-an-adapter.md"])
})

test.each(guides)("$path: its configuration and plugins would be committed", async ({fences}) => {
  const config = fences.find(({language}) => language === "yaml")?.text ?? ""
  const project = write(fences, config)
  const checked = await svc(onBun, project, ["config", "check"], {env: {LINES_PASSWORD: "eight-letters"}})
  expect(checked).toMatchObject({code: 0, stdout: "svc.config.yml is valid\n"})
})

test.each(guides)("$path: its test passes", async ({fences}) => {
  const project = write(fences, "")
  const tested = await runProcess([onBun.command[0] ?? "", "test"], {cwd: project.folder})
  expect({code: tested.code, output: tested.stderr}).toMatchObject({
    code: 0,
    output: expect.stringContaining(" 0 fail"),
  })
})

test.each(guides)("$path: its code is of the right types", async ({fences}) => {
  const project = write(fences, "")
  project.write(
    "tsconfig.json",
    JSON.stringify({
      extends: `${root}tsconfig.json`,
      compilerOptions: {typeRoots: [`${root}node_modules/@types`]},
      include: ["plugins", "tests", `${root}server/**/*.d.ts`],
      exclude: [],
    }),
  )
  const compiled = await runProcess([process.execPath, `${root}node_modules/.bin/tsc`, "-p", "."], {
    cwd: project.folder,
  })
  expect(compiled).toMatchObject({code: 0, stdout: ""})
})
