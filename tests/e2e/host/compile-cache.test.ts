import {existsSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {runProcess} from "../../support/host/process.ts"
import {makeFolder} from "../../support/host/project.ts"
import {runtimes} from "../../support/host/runtimes.ts"

/** A folder of caches cannot be made in this one, not even by root. */
const file = "/dev/null"

describe.each(runtimes.filter(({name}) => name !== "bun"))("on $name", ({command}) => {
  const version = (env: Record<string, string>) => runProcess([...command, "--version"], {env})

  test("what Node has compiled is kept with the user's caches", async () => {
    const home = makeFolder()
    expect(await version({HOME: home, NODE_COMPILE_CACHE: ""})).toMatchObject({code: 0, stderr: ""})
    expect(existsSync(join(home, ".cache/svc"))).toBe(true)
  })

  test("it is kept where XDG_CACHE_HOME says, and NODE_COMPILE_CACHE before that", async () => {
    const [xdg, own] = [makeFolder(), makeFolder()]
    await version({XDG_CACHE_HOME: xdg, NODE_COMPILE_CACHE: join(own, "cache")})
    expect([existsSync(join(xdg, "svc")), existsSync(join(own, "cache"))]).toEqual([false, true])
    await version({XDG_CACHE_HOME: xdg, NODE_COMPILE_CACHE: ""})
    expect(existsSync(join(xdg, "svc"))).toBe(true)
  })

  test("without a place for it svc runs all the same", async () => {
    for (const env of [{HOME: file}, {HOME: "relative"}, {HOME: "", XDG_CACHE_HOME: file}])
      expect(await version({...env, NODE_COMPILE_CACHE: ""})).toMatchObject({code: 0, stderr: ""})
    expect(existsSync("relative")).toBe(false)
  })
})
