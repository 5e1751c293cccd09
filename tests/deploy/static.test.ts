import {spawnSync} from "node:child_process"
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {afterAll, expect, test} from "vitest"
import {root} from "../support/runtimes.ts"
import {describePart, linux, program} from "./support/part.ts"

const template = readFileSync(join(root, "container/systemd/svc@.service"), "utf8")

describePart("units of systemd, examined where none runs", [linux, program("systemd-analyze", "systemd")], () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-units-"))
  afterAll(() => rmSync(folder, {recursive: true}))

  const analyze = (name: string, text: string, ...args: readonly string[]) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return spawnSync("systemd-analyze", [...args, file], {encoding: "utf8"})
  }

  test("svc@.service is one that systemd takes as it is; one with an unknown key is not", () => {
    const verify = (text: string) => analyze("svc@root.service", text, "verify", "--man=no")
    const {status, stderr} = verify(template)
    expect({status, stderr: stderr.split("\n").filter(line => line.includes(folder))}).toEqual({status: 0, stderr: []})
    expect(verify(template.replace("KillMode=", "KillMood=")).stderr).toContain("Unknown key 'KillMood'")
  })

  test("svc@.service is exposed at most 1.5 of 10; a bare one fails this", () => {
    const security = (text: string) =>
      analyze("svc@.service", text, "--offline=yes", "security", "--threshold=15", "--no-pager")
    expect(security(template).status).toBe(0)
    expect(security("[Service]\nExecStart=/bin/true\n").status).toBe(1)
  })
})

const shellScriptsOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), {recursive: true, encoding: "utf8"})
    .filter(file => file.endsWith(".sh"))
    .map(file => `${folder}/${file}`)

describePart("shell scripts", [program("shellcheck")], () => {
  test.each([".ci/run", ...shellScriptsOf("container")])("%s has nothing that shellcheck objects to", script => {
    const {status, stdout} = spawnSync("shellcheck", [script], {cwd: root, encoding: "utf8"})
    expect({status, stdout}).toEqual({status: 0, stdout: ""})
  })
})
