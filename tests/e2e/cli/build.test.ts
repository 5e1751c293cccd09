import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {makeFolder, onBun, onOlderNode, root, runProcess} from "../../support/host/host.ts"

test("svc build reports every error with its position, and keeps the last good build", async () => {
  const folder = makeFolder()
  writeFileSync(join(folder, "svc.config.yml"), "plugins: {}\n")
  mkdirSync(join(folder, "plugins"))
  const write = (name: string, text: string) => writeFileSync(join(folder, `plugins/${name}.ts`), text)
  const build = (...args: string[]) => runProcess([...onBun.command, "build", ...args], {cwd: folder})
  write("one", "export default 1\n")
  expect(await build("--json")).toMatchObject({code: 0, stdout: '{\n  "plugins": [\n    "one"\n  ]\n}\n'})
  write("one", "export default {\n")
  write("two", 'import "./nowhere.ts"\n')
  const refused = await build()
  expect({code: refused.code, stdout: refused.stdout}).toEqual({code: 1, stdout: ""})
  expect(refused.stderr).toMatch(/^ {2}plugins\/one\.ts:2:\d+ /m)
  expect(refused.stderr).toMatch(/^ {2}plugins\/two\.ts:1:\d+ /m)
  expect(readFileSync(join(folder, "dist/plugins/one.js"), "utf8")).toContain("1")
})

test.skipIf(onOlderNode === undefined)("the plugin SDK loads on Node 20.19 and newer", async () => {
  const [node = ""] = onOlderNode?.command ?? []
  const folder = makeFolder()
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/svc-runtime"))
  const script = `
    import {definePlugin, Type} from "svc-runtime"
    const plugin = definePlugin({config: Type.Object({a: Type.String()}), setup() {}})
    console.log(typeof plugin.setup)`
  const ended = await runProcess([node, "--input-type=module", "-e", script], {cwd: folder})
  expect(ended).toMatchObject({code: 0, stdout: "function\n", stderr: ""})
})
