import {chownSync, copyFileSync, mkdirSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {makeFolder, makeProject, onBun, onNode22, root, svc} from "../../support/host/host.ts"

test.runIf(onNode22)("svc service install refuses a runtime that npx fetched for this one command", async () => {
  const folder = join(makeFolder(), "_npx", "1a2b")
  mkdirSync(folder, {recursive: true})
  copyFileSync(onNode22?.command[0] ?? "", join(folder, "node"))
  const fetched = {name: "npx", command: [join(folder, "node"), `${root}cli/launch.js`]}
  const {code, stderr} = await svc(fetched, makeProject(), ["service", "install", "--user", "--dry-run"])
  expect(code).toBe(1)
  expect(stderr).toContain(` ${join(folder, "node")}, `)
  expect(stderr).toMatch(/hint: .*\(npm install --global bun@1\.4\.5\) .* Node 22\.12 /)
})

const isRoot = process.getuid?.() === 0

test.runIf(onNode22 && isRoot)("svc service install names the place and user for a project elsewhere", async () => {
  const project = makeProject()
  chownSync(project.folder, 65_534, 65_534)
  const {code, stderr} = await svc(onNode22 ?? onBun, project, ["service", "install"])
  expect(code).toBe(1)
  expect(stderr).toContain(`${project.folder}, not in /srv/svc/nobody\n`)
  expect(stderr).toMatch(/--user as nobody\b/)
})
