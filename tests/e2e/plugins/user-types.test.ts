import {cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {expect, test} from "vitest"
import {makeFolder, root} from "../../support/host/host.ts"
import {runProcess} from "../../support/host/process.ts"

const bot = `import {definePlugin, Type} from "svc-runtime"
import {plugin} from "svc-runtime/test"
import {adapterChecks, type AdapterUnderTest} from "svc-runtime/test/adapter"
const own = definePlugin({config: Type.Object({a: Type.String()}), setup(bot, {a}) {bot.command("a", () => a)}})
void plugin.test(own, {config: {a: ""}}, bot => bot.say("/a"))
export const checksOf = (mine: AdapterUnderTest) => adapterChecks(mine)
export const all = [Map.groupBy([1], n => n % 2), Promise.withResolvers()]
`
const {target} = JSON.parse(readFileSync(join(root, "cli/init/template/tsconfig.json"), "utf8")).compilerOptions
const strict = {
  target,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
}

/** A user's folder with the package as installed. Only the packages that it depends on are there, and `more`. */
const installed = (more: readonly string[]) => {
  const folder = makeFolder()
  const own = join(folder, "node_modules/svc-runtime")
  cpSync(join(root, "dist/types"), join(own, "dist/types"), {recursive: true})
  cpSync(join(root, "package.json"), join(own, "package.json"))
  for (const name of ["@libsql/client", "crossws", "standardwebhooks", "typebox", ...more]) {
    mkdirSync(dirname(join(folder, "node_modules", name)), {recursive: true})
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  }
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
  writeFileSync(join(folder, "bot.ts"), bot)
  return folder
}

test.each([
  {module: "nodenext", moduleResolution: "nodenext", with: "@types/node"},
  {module: "preserve", moduleResolution: "bundler", with: "@types/node"},
  {module: "nodenext", moduleResolution: "nodenext", with: "the DOM's types"},
  {module: "preserve", moduleResolution: "bundler", with: "the DOM's types"},
])("a user's compiler checks the package's types: $moduleResolution, with $with", async ({with: given, ...modules}) => {
  const isNode = given === "@types/node"
  const folder = installed(isNode ? [given] : [])
  const lib = [target, "esnext.disposable", ...(isNode ? [] : ["dom", "dom.iterable"])]
  const compilerOptions = {...strict, ...modules, lib, types: isNode ? ["node"] : []}
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({compilerOptions, files: ["bot.ts"]}))
  const line = [process.execPath, join(root, "node_modules/.bin/tsc"), "-p", folder]
  const {code, stdout} = await runProcess([...line, "--checkers", "1"])
  expect({code, errors: stdout.match(/^.*error TS.*$/gm)}).toEqual({code: 0, errors: null})
})
