import {mkdirSync, readdirSync, readFileSync, symlinkSync} from "node:fs"
import {basename, dirname, join} from "node:path"
import {describe, expect, test} from "vitest"
import {type ProjectTemplate, projectTemplates, templateNames} from "../../../server/process/project-templates.ts"
import {bunAnd, casesOf, makeProject, root, runProcess, scriptCommand, svc} from "../../support/host/host.ts"

const projectsIn = (parent: string) => readdirSync(join(root, parent)).map(name => `${parent}/${name}`)
const examples = projectsIn("examples")
const plugins = projectsIn("plugins")
const folders = [...examples, ...plugins]

const both = bunAnd("node24")

/** The project's files in git. A Host that ran in its folder may have left its state beside them. */
const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(root, folder), {recursive: true, encoding: "utf8"})
      .filter(file => /^(?!\.svc|data|dist|node_modules).*\.(ts|yml|json|md)$/.test(file))
      .map(file => [file, readFileSync(join(root, folder, file), "utf8")]),
  )

/** The file `.env` with a value for each variable that a project's configuration needs. */
const environmentOf = (config: string): string =>
  Array.from(config.matchAll(/\$\{([A-Z_]+)\}/g), ([, name]) => `${name}=a-value-of-the-environment\n`).join("")

/** The template of a folder, if `svc init` has one. */
const templateOf = (folder: string): ProjectTemplate | undefined => {
  const name = templateNames.find(each => projectTemplates[each].folder === folder)
  return name === undefined ? undefined : projectTemplates[name]
}

/** The packages that a project needs in addition to svc. */
const packagesOf = (folder: string): Readonly<Record<string, string>> => templateOf(folder)?.dependencies ?? {}

const {version, devDependencies} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

test("there are three examples and eleven ready plugins", () => {
  expect(examples.map(folder => basename(folder))).toEqual(["agent", "bridge", "files"])
  expect(plugins.map(folder => basename(folder)).join(" ")).toBe(
    "faq feeds github gitlab moderation polls reminders roles standup tickets welcome",
  )
})

test.each(examples)("%s names this package's version, and the tested versions of the other packages", folder => {
  const others = packagesOf(folder)
  expect(JSON.parse(filesOf(folder)["package.json"] ?? "{}").dependencies).toEqual({"svc-runtime": version, ...others})
  expect(devDependencies).toMatchObject(others)
})

test.each(examples)("%s keeps its plugin between 40 and 90 lines", folder => {
  const source = filesOf(folder)[templateOf(folder)?.plugin ?? ""]
  const lines = source?.split("\n").filter(line => !/^\s*($|\/\*\*)/.test(line)) ?? []
  expect(lines.length).toBeGreaterThan(40)
  expect(lines.length).toBeLessThanOrEqual(90)
})

test.each(plugins)("%s is a package that names its bundle, its range of svc and its description", folder => {
  const name = basename(folder)
  const {description, ...manifest} = JSON.parse(filesOf(folder)["package.json"] ?? "{}")
  expect(manifest).toEqual({
    name: `svc-plugin-${name}`,
    version,
    license: "MIT",
    keywords: ["svc", "svc-plugin", "bot"],
    type: "module",
    exports: `./dist/plugins/${name}.js`,
    files: [`dist/plugins/${name}.js`],
    engines: {node: ">=22.12.0"},
    scripts: {dev: "svc runtime start", chat: "svc chat", test: "node --test", prepack: "svc build"},
    peerDependencies: {"svc-runtime": `^${version}`},
    ...(name === "tickets" ? {svc: {needs: ["workroom"]}} : {}),
    // Bun would look for it in the registry: this package is not one of its workspaces.
    peerDependenciesMeta: {"svc-runtime": {optional: true}},
    devDependencies: {esbuild: devDependencies.esbuild},
  })
  expect(description).toMatch(/^[A-Z][^.]{10,100}$/)
})

describe.each(folders)("%s", folder => {
  const files = filesOf(folder)

  test.each(both.filter(runtime => casesOf(folders, runtime, both).includes(folder)))(
    "passes its test and has a valid configuration on $name",
    async runtime => {
      const config = files["svc.config.yml"] ?? ""
      const project = makeProject({files: {...files, ".env": environmentOf(config)}, config})
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
