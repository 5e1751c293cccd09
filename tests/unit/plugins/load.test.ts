import {existsSync, mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {Loader} from "../../../server/generation/plugins/load.ts"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {makeFolder} from "../../support/machine/folders.ts"

test("an aborted load writes no compiled code and runs none", async () => {
  const paths = projectPaths(makeFolder())
  const cache = join(paths.project, "cache")
  mkdirSync(join(paths.project, "plugins"))
  writeFileSync(join(paths.project, "plugins/late.ts"), "export default {}")
  const loader = new Loader({runtime: await loadRuntime(), paths, builtIns: {}, builds: "fallback", cache, sdk: {}})
  const abort = new AbortController()
  const loading = loader.load("late", {use: "./plugins/late.ts"}, abort.signal)
  abort.abort()
  await expect(loading).rejects.toBe(abort.signal.reason)
  expect(existsSync(cache)).toBe(false)
})
