import {readdirSync, readFileSync} from "node:fs"
import {expect, test} from "vitest"
import {type Fence, readConfigs, readDocuments} from "../../support/docs/documents.ts"
import {svc} from "../../support/host/host.ts"
import {runProcess} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {onBun, root} from "../../support/host/runtimes.ts"
import {installedFrameworks, isOfFramework, linkFrameworks} from "../../support/platforms/frameworks.ts"

const guides = readDocuments().filter(({fences}) => fences.some(({file}) => file.startsWith("plugins/")))

const filesOf = (fences: readonly Fence[], folder = "") =>
  Object.fromEntries(fences.flatMap(({file, text}) => (file === "" ? [] : [[`${folder}${file}`, text]])))

test("there are guides with examples", () => {
  expect(guides.map(({path}) => path)).toEqual([
    "README.md",
    "docs/agents/tools.md",
    "docs/coming-from.md",
    "docs/plugins/act.md",
    "docs/plugins/commands.md",
    "docs/plugins/files.md",
    "docs/plugins/first.md",
    "docs/plugins/interactions.md",
    "docs/plugins/languages.md",
    "docs/plugins/pages.md",
    "docs/plugins/send-files.md",
    "docs/plugins/services.md",
    "docs/plugins/state.md",
    "docs/plugins/timers.md",
    "docs/test-a-plugin.md",
    "docs/write-an-adapter.md",
  ])
})

const plainPlugin = `import {definePlugin} from "svc-runtime"\nexport default definePlugin({setup: () => {}})\n`

const plugins = Object.fromEntries(
  guides
    .flatMap(({fences}) => fences.filter(({file}) => file.startsWith("plugins/")))
    .map(({file, text}) => [file, text]),
)
/** The npm packages in the configurations of docs/plugins/publish.md. */
const packages = Object.fromEntries(
  ["svc-plugin-hello", "@team/hello"].flatMap(name => [
    [
      `node_modules/${name}/package.json`,
      JSON.stringify({name, version: "1.0.0", type: "module", exports: "./index.js"}),
    ],
    [`node_modules/${name}/index.js`, plainPlugin],
  ]),
)
const greeter = readFileSync(`${root}cli/init/template/plugins/greeter.ts`, "utf8")

/** The plugins of an example, by their paths in its project, because a configuration on its page names them. */
const pluginsOfExample = (name: string): Readonly<Record<string, string>> => {
  const [example] = /^examples\/[^/]+/.exec(name) ?? []
  if (example === undefined) return {}
  const files = readdirSync(`${root}${example}/plugins`, {recursive: true, encoding: "utf8"})
  return Object.fromEntries(
    files
      .filter(file => file.endsWith(".ts"))
      .map(file => [`plugins/${file}`, readFileSync(`${root}${example}/plugins/${file}`, "utf8")]),
  )
}

test.each(readConfigs())("$name is accepted, including the plugins' own keys", async ({name, text, variables}) => {
  const files = {...packages, ...plugins, "plugins/greeter.ts": greeter, ...pluginsOfExample(name)}
  const project = makeProject({config: text, files})
  const checked = await svc(onBun, project, ["config", "check"], {env: {...variables}})
  expect(checked).toMatchObject({code: 0, stdout: "svc.config.yml is valid\n"})
})

test.each(guides.filter(({fences}) => fences.some(({file}) => file.startsWith("tests/"))))(
  "the test of $path passes",
  async ({fences}) => {
    const project = makeProject({files: filesOf(fences.filter(({file}) => !isOfFramework(file)))})
    const tested = await runProcess([onBun.command[0] ?? "", "test", "--timeout=120000"], {cwd: project.folder})
    expect({code: tested.code, output: tested.stderr}).toMatchObject({
      code: 0,
      output: expect.stringContaining(" 0 fail"),
    })
  },
)

test("the code in the guides has no type errors", async () => {
  const hasFrameworks = installedFrameworks.install()
  const compiles = ({file}: Fence) => hasFrameworks || !isOfFramework(file)
  const project = makeProject({
    files: Object.assign({}, ...guides.map(({fences}, index) => filesOf(fences.filter(compiles), `guide${index}/`))),
  })
  if (hasFrameworks) linkFrameworks(project)
  project.write(
    "tsconfig.json",
    JSON.stringify({
      extends: `${root}tsconfig.json`,
      compilerOptions: {typeRoots: [`${root}node_modules/@types`]},
      include: [".", `${root}server/**/*.d.ts`],
      exclude: [],
    }),
  )
  const compiled = await runProcess([process.execPath, `${root}node_modules/.bin/tsc`, "-p", ".", "--checkers", "1"], {
    cwd: project.folder,
  })
  expect(compiled).toMatchObject({code: 0, stdout: ""})
})
