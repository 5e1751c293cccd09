import {mkdirSync, readdirSync, readFileSync, symlinkSync} from "node:fs"
import {dirname, join} from "node:path"
import {describe, expect, test} from "vitest"
import {type ProjectTemplate, projectTemplates, templateName} from "../../../server/process/project-templates.ts"
import {bunAnd, casesOf, makeProject, root, runProcess, scriptCommand, svc} from "../../support/host/host.ts"

const folders = readdirSync(join(root, "examples"))

const both = bunAnd("node24")

/** An example's files in git. A Host that ran in its folder may have left its state beside them. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(root, "examples", folder), {recursive: true, encoding: "utf8"})
      .filter(file => /^(?!\.svc|data|node_modules).*\.(ts|yml|json|md)$/.test(file))
      .map(file => [file, readFileSync(join(root, "examples", folder, file), "utf8")]),
  )

/** The packages that an example needs in addition to svc. */
const packagesOf = (folder: string): Readonly<Record<string, string>> => {
  const {dependencies = {}}: ProjectTemplate = projectTemplates[templateName(folder)]
  return dependencies
}

test("there are six examples", () => {
  expect(folders).toEqual(["agent", "bridge", "files", "moderation", "poll", "reminders"])
})

describe.each(folders)("the example %s", folder => {
  const files = filesOf(folder)

  test("keeps its plugin between 40 and 90 lines", () => {
    const source = files[projectTemplates[templateName(folder)].plugin]
    const lines = source?.split("\n").filter(line => !/^\s*($|\/\*\*)/.test(line)) ?? []
    expect(lines.length).toBeGreaterThan(40)
    expect(lines.length).toBeLessThanOrEqual(90)
  })

  test("names this package's version, and the tested versions of the other packages", () => {
    const {version, devDependencies} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const others = packagesOf(folder)
    expect(JSON.parse(files["package.json"] ?? "{}").dependencies).toEqual({"svc-runtime": version, ...others})
    expect(devDependencies).toMatchObject(others)
  })

  test.each(both.filter(runtime => casesOf(folders, runtime, both).includes(folder)))(
    "passes its test and has a valid configuration on $name",
    async runtime => {
      const project = makeProject({files, config: files["svc.config.yml"] ?? ""})
      for (const name of Object.keys(packagesOf(folder))) {
        mkdirSync(dirname(project.path("node_modules", name)), {recursive: true})
        symlinkSync(join(root, "node_modules", name), project.path("node_modules", name))
      }
      const tested = await runProcess([...scriptCommand(runtime, runtime.name === "bun" ? "test" : "--test")], {
        cwd: project.folder,
      })
      expect({code: tested.code, output: tested.stdout + tested.stderr}).toMatchObject({
        code: 0,
        output: expect.stringMatching(/ 0 fail|fail 0/),
      })
      expect(await svc(runtime, project, ["config", "check"])).toMatchObject({
        code: 0,
        stdout: "svc.config.yml is valid\n",
      })
    },
  )
})
