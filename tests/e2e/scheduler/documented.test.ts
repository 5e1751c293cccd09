import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {readDocuments} from "../../support/docs/documents.ts"
import {printedJson} from "../../support/host/command-line.ts"
import {bunOr, makeFolder, type Project, runProcess, startHost, svc, until} from "../../support/host/host.ts"

const page = readDocuments().find(({path}) => path === "docs/schedule.md")
const fences = (wanted: string) => page?.fences.flatMap(({language, text}) => (language === wanted ? [text] : [])) ?? []

const projectIn = (folder: string): Project => ({
  folder,
  path: (...parts) => join(folder, ...parts),
  read: path => readFileSync(join(folder, path), "utf8"),
  write: (path, text) => writeFileSync(join(folder, path), text),
})

test.each(bunOr("node24"))("the commands of the documentation page work in a new project, on $name", async runtime => {
  const parent = makeFolder()
  const made = await runProcess([...runtime.command, "init", "my-bot", "--no-install"], {cwd: parent})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const project = projectIn(join(parent, "my-bot"))
  await startHost({runtime, project, args: ["--no-watch"], env: {HTTP_PORT: "0"}})
  const follow = async (lines: string) => {
    for (const line of lines.trim().split("\n")) {
      const command = line.replace(/^svc /, `${runtime.command.join(" ")} `)
      const {code, stderr} = await runProcess(["sh", "-c", command], {cwd: project.folder, env: {HTTP_PORT: "0"}})
      expect({line, code, stderr}).toEqual({line, code: 0, stderr: ""})
    }
  }
  const [first = "", second = "", ...others] = fences("sh")
  expect(others).toEqual([])
  await follow(first)
  project.write("plugins/team.ts", fences("ts")[0] ?? "")
  project.write("svc.config.yml", project.read("svc.config.yml").replace(/^plugins:$/m, "plugins:\n  team: {}"))
  await follow(second)
  const runs = await until("the runs to end", async () => {
    const {items} = await printedJson<{items: {job: string; state: string}[]}>(project, "schedule runs", runtime)
    return items.every(({state}) => state === "succeeded" || state === "failed") && items
  })
  expect(runs.map(({job, state}) => `${job} ${state}`)).toEqual(["digest succeeded", "standup succeeded"])
  expect((await svc(runtime, project, ["schedule", "list"])).stdout).not.toContain("no plugin")
})
