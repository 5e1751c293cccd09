import {readdirSync, readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {type Document, type Fence, readConfigs, readDocuments} from "../../support/docs/documents.ts"
import {makeProject, onBun, root, runProcess, scriptCommand, shared} from "../../support/host/host.ts"
import {installedFrameworks, isOfFramework, linkFrameworks} from "../../support/platforms/frameworks.ts"

const guides = readDocuments().filter(({fences}) => fences.some(({file}) => file.startsWith("plugins/")))

const filesOf = (fences: readonly Fence[], folder = "") =>
  Object.fromEntries(fences.flatMap(({file, text}) => (file === "" ? [] : [[`${folder}${file}`, text]])))

test("there are guides with examples", () => {
  expect(guides.map(({path}) => path)).toEqual(
    `README.md docs/agents.md docs/coming-from.md docs/plugins/act.md
    docs/plugins/commands.md docs/plugins/elements.md docs/plugins/files.md docs/plugins/first.md docs/plugins/interactions.md
    docs/plugins/languages.md docs/plugins/pages.md docs/plugins/send-files.md docs/plugins/services.md
    docs/plugins/state.md docs/plugins/timers.md docs/plugins/webhooks.md docs/test-a-plugin.md`.split(/\s+/),
  )
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

/** The sources of an example, by their paths in its project, because a configuration on its page names its plugins. */
const pluginsOfExample = (name: string): Readonly<Record<string, string>> => {
  const [example] = /^(?:examples|plugins)\/[^/]+/.exec(name) ?? []
  if (example === undefined) return {}
  const files = readdirSync(`${root}${example}`, {recursive: true, encoding: "utf8"})
  return Object.fromEntries(
    files
      .filter(file => /^(?:plugins|lib)\/.*\.ts$/.test(file))
      .map(file => [file, readFileSync(`${root}${example}/${file}`, "utf8")]),
  )
}

/** The page that configures ready plugins: each has a file that passes its source on. */
const readyPlugins = (name: string): Readonly<Record<string, string>> => {
  if (!name.startsWith("docs/five-minutes.md")) return {}
  const source = (plugin: string) => `export {default} from "${root}plugins/${plugin}/plugins/${plugin}.ts"\n`
  return Object.fromEntries(readdirSync(`${root}plugins`).map(plugin => [`plugins/${plugin}.ts`, source(plugin)]))
}

/** A page shows a part of the file. In the other part are the endpoints that it names. */
const inFile = (text: string): string => {
  const others = ["  sandbox: {}\n", '  telegram: {endpoints: [{id: main, token: "${TELEGRAM_TOKEN}"}]}\n']
  const lines = others.filter(line => !text.includes(line.split(" {")[0] ?? "")).join("")
  return /^plugins:$/m.test(text) ? text.replace(/^plugins:\n/m, `$&${lines}`) : `${text}plugins:\n${lines}`
}

describe("a configuration is accepted, including the plugins' own keys:", () => {
  const configs = readConfigs()
  const problems = shared(async () => {
    const folders = configs.map(({name, text, variables}) => {
      const env = Object.entries({TELEGRAM_TOKEN: "1:a", ...variables}).map(entry => `${entry.join("=")}\n`)
      const files = {
        ...packages,
        ...plugins,
        "plugins/greeter.ts": greeter,
        ...readyPlugins(name),
        ...pluginsOfExample(name),
      }
      return makeProject({config: inFile(text), files: {...files, ".env": env.join("")}}).folder
    })
    const script = scriptCommand(onBun, `${root}tests/e2e/docs/check-projects.ts`)
    return JSON.parse((await runProcess([...script, ...folders])).stdout) as readonly unknown[]
  })

  test.each(configs)("$name", config => expect(problems()[configs.indexOf(config)]).toBeNull())
})

test("the tests of the guides pass", async () => {
  const own = ({fences}: Document) => fences.filter(({file}) => !isOfFramework(file))
  const project = makeProject({files: Object.assign({}, ...guides.map(guide => filesOf(own(guide), `${guide.path}/`)))})
  const tests = guides.flatMap(own).filter(({file}) => file.endsWith(".test.ts"))
  const {code, stderr} = await runProcess([onBun.command[0] ?? "", "test", "--timeout=120000"], {cwd: project.folder})
  const output = expect.stringMatching(` 0 fail\n[^]* across ${tests.length} files`)
  expect({code, output: stderr}).toMatchObject({code: 0, output})
})

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
      // As an author has it: with the shipped declarations.
      compilerOptions: {typeRoots: [`${root}node_modules/@types`], paths: {}},
      include: ["."],
      exclude: [],
    }),
  )
  const compiled = await runProcess([process.execPath, `${root}node_modules/.bin/tsc`, "-p", ".", "--checkers", "1"], {
    cwd: project.folder,
  })
  expect(compiled).toMatchObject({code: 0, stdout: ""})
})
