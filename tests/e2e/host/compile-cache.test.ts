import {existsSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {makeFolder, runProcess, runtimes} from "../../support/host/host.ts"

/** Nobody, not even root, can create a folder of caches below this path. */
const file = "/dev/null"

describe.each(runtimes.filter(({name}) => name !== "bun"))("Node's compile cache on $name", ({command}) => {
  const version = (env: Record<string, string>) => runProcess([...command, "--version"], {env})

  test("is in the user's cache folder", async () => {
    const home = makeFolder()
    expect(await version({HOME: home, NODE_COMPILE_CACHE: ""})).toMatchObject({code: 0, stderr: ""})
    expect(existsSync(join(home, ".cache/svc"))).toBe(true)
  })

  test("follows XDG_CACHE_HOME, and NODE_COMPILE_CACHE takes precedence", async () => {
    const [xdg, own] = [makeFolder(), makeFolder()]
    await version({XDG_CACHE_HOME: xdg, NODE_COMPILE_CACHE: join(own, "cache")})
    expect([existsSync(join(xdg, "svc")), existsSync(join(own, "cache"))]).toEqual([false, true])
    await version({XDG_CACHE_HOME: xdg, NODE_COMPILE_CACHE: ""})
    expect(existsSync(join(xdg, "svc"))).toBe(true)
  })

  test("is optional: svc also runs without a place for it", async () => {
    for (const env of [{HOME: file}, {HOME: "relative"}, {HOME: "", XDG_CACHE_HOME: file}])
      expect(await version({...env, NODE_COMPILE_CACHE: ""})).toMatchObject({code: 0, stderr: ""})
    expect(existsSync("relative")).toBe(false)
  })
})
