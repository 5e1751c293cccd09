import {existsSync, mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {Loader} from "../../../server/generation/plugins/load.ts"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {makeFolder} from "../../support/machine/folders.ts"

/** A loader in a project with one plugin, and the folder for compiled code. */
const loaderOf = async (name: string, code: string) => {
  const paths = projectPaths(makeFolder())
  const cache = join(paths.project, "cache")
  mkdirSync(join(paths.project, "plugins"))
  writeFileSync(join(paths.project, `plugins/${name}.ts`), code)
  const loader = new Loader({runtime: await loadRuntime(), paths, builtIns: {}, builds: "fallback", cache, sdk: {}})
  return {loader, cache}
}

test("a plugin with a mistyped key is refused at its file", async () => {
  const brand = 'Symbol.for("svc.plugin")'
  const {loader} = await loaderOf("typo", `export default {setup() {}, platfrom: true, [${brand}]: 1}`)
  const message = 'definePlugin(): unknown key platfrom (did you mean "platform"?)'
  await expect(loader.load("typo", {use: "./plugins/typo.ts"}, new AbortController().signal)).rejects.toMatchObject({
    code: "plugin_invalid",
    issues: [{file: "plugins/typo.ts", line: 1, message}],
  })
})

test("an aborted load writes no compiled code and runs none", async () => {
  const {loader, cache} = await loaderOf("late", "export default {}")
  const abort = new AbortController()
  const loading = loader.load("late", {use: "./plugins/late.ts"}, abort.signal)
  abort.abort()
  await expect(loading).rejects.toBe(abort.signal.reason)
  expect(existsSync(cache)).toBe(false)
})
