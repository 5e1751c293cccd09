import {join} from "node:path"
import ts from "typescript"
import {expect, test} from "vitest"
import {root} from "../../../scripts/root.ts"

const A = "Type.Object({a: Type.String()})"
const route = 'method: "POST", scope: "full", summary: "A", path: "/a"'

/** One use of each call whose types depend on a schema, a pattern or a table. */
const calls: Readonly<Record<string, string>> = {
  action: `const a = plugin.action("a", {data: ${A}}, ({data}) => data.a); plugin.on("message-created", () => a.button({a: ""}, "A"))`,
  adapter: `plugin.adapter("a", {history: "none", account: ${A}, lacks: ({a}) => a ? [] : ["edit"], open: async ({a}) => ({send: async () => ({ids: [a]}), close: () => {}})})`,
  command: `plugin.command("a <b:integer> [c:text]", {options: {d: {type: "string"}}}, ({args, options}) => args.b + String(options.d))`,
  "database.read": `plugin.onStart(async () => (await plugin.database.read("", [], ${A}))[0]?.a)`,
  "database.write": `plugin.onStart(async () => (await plugin.database.write([{sql: "", row: ${A}}]))[0].rows[0]?.a)`,
  form: `const a = plugin.form("a", {fields: ${A}, labels: {a: "A"}, data: ${A}}, ({values, data}) => values.a + data.a); plugin.on("message-created", async session => void await session.form(a, "", {a: ""}))`,
  hears: `plugin.hears("(?<a>x)", ({match}) => match.named.a)`,
  job: `plugin.job("a", {data: ${A}, schedule: {every: "1d", timezone: "UTC", data: {a: ""}}}, ({data}) => data.a)`,
  prompt: `const a = plugin.prompt("a", {data: ${A}}, ({data, prompt, session}) => session.prompt(prompt, data.a, data)); plugin.on("message-created", session => session.prompt(a, "", {a: ""}))`,
  route: `plugin.route({${route}, body: ${A}, query: ${A}, response: ${A}, handle: (_, {body, query}) => ({a: body.a + query.a})})`,
  "route's json": `plugin.route({${route}, handle: (_, call) => call.json(${A}, {a: ""})})`,
  state: `const a = plugin.state("user", ${A}); plugin.on("message-created", async session => (await session.state(a).get()).a)`,
  texts: `const t = plugin.texts({en: {a: "{b, plural, one {#} other {#}}"}}); plugin.on("message-created", session => session.t(t, "a", {b: 1}))`,
  timer: `const a = plugin.timer("a", {data: ${A}}, (_, data) => data.a); plugin.on("message-created", async session => void await session.setTimer(a, {in: 1}, {a: ""}))`,
  tool: `plugin.tool("a", {description: "A", parameters: ${A}, effect: "none"}, ({args}) => args.a)`,
}

const inSetup = (statement: string) => `export default definePlugin({setup(plugin) {${statement}}})`

const files = Object.entries({
  ...Object.fromEntries(Object.entries(calls).map(([name, statement]) => [name, inSetup(statement)])),
  config: `export default definePlugin({config: ${A}, setup(plugin, {a}) {plugin.log.info(a)}})`,
  "a function for any schema": `export const own = <S extends TObject>(bot: Plugin, parameters: S, run: (args: Static<S>) => string) => bot.tool("a", {description: "A", parameters, effect: "none"}, ({args}) => run(args))`,
})

const imports = `import {definePlugin, type Plugin, type Static, type TObject, Type} from "svc-runtime"\n`

const {config} = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile)
const {options} = ts.parseJsonConfigFileContent({...config, include: [], files: ["one.ts"]}, ts.sys, root)
const host = ts.createCompilerHost(options)
const parsed = new Map<string, ts.SourceFile | undefined>()

/** Compiles one file; what it imports is read once. */
const compile = (text: string) => {
  const name = join(root, "one.ts")
  const program = ts.createProgram(
    [name],
    {...options, types: [], noUnusedLocals: false},
    {
      ...host,
      getSourceFile: (path, target) => {
        if (path === name) return ts.createSourceFile(path, text, target)
        if (!parsed.has(path)) parsed.set(path, host.getSourceFile(path, target))
        return parsed.get(path)
      },
    },
  )
  const errors = program.getSemanticDiagnostics(program.getSourceFile(name))
  return {errors: errors.map(({messageText}) => messageText), instantiations: program.getInstantiationCount()}
}

test.each(files)("the types of %s take at most 30,000 instantiations", (_, text) => {
  const {errors, instantiations} = compile(`${imports}${text}`)
  expect(errors).toEqual([])
  expect(instantiations).toBeGreaterThan(0)
  expect(instantiations).toBeLessThanOrEqual(30_000)
})
