import {copyFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import {type HranaServer, makeFolder, startHrana} from "../../support/database/databases.ts"
import {type Project, printedJson, refusal, restore, runCommand, startHost, textsOf} from "../../support/host/host.ts"

const config = "http: {port: 0}\ndatabase: {dialect: libsql, url: '${DATABASE_URL}'}\nplugins: {sandbox: {}}\n"

const say = async (host: Awaited<ReturnType<typeof startHost>>, text: string) => {
  await host.say(text)
}

/** Stands in for the database's backup tool: copies one moment and starts a server on the copy. */
const restoreBackup = async (backup: string): Promise<HranaServer> => {
  const file = join(makeFolder(), "restored.sqlite")
  copyFileSync(backup, file)
  return startHrana({file})
}

const verify = async (project: Project, ...args: string[]) => {
  const {code, stdout} = await runCommand(project, ["checkpoint", "verify", "newest", "--json", ...args])
  return {code, ...(JSON.parse(stdout) as {ok: boolean; findings: string[]; warnings: string[]})}
}

test("a remote database's checkpoint names its backup, and is verified and restored with a copy of it", async () => {
  const server = await startHrana({file: join(makeFolder(), "remote.sqlite")})
  const host = await startHost({
    config,
    env: {DATABASE_URL: server.url},
    files: {".env": `DATABASE_URL=${server.url}\n`},
  })
  const {project} = host
  await say(host, "before")
  expect(await refusal(project, "checkpoint create")).toContain("external-restore-point")
  await host.post("/api/ingress/pause")
  const backup = join(makeFolder(), "backup.sqlite")
  server.sql(`VACUUM INTO '${backup}'`)
  const made = await printedJson<CheckpointDetail>(project, "checkpoint create --external-restore-point backup-7")
  expect(made.manifest.database).toMatchObject({dialect: "libsql", file: null, restorePoint: "backup-7"})
  expect(made.manifest.files.map(({path}) => path)).not.toContain("database.sqlite")
  expect(made.verification?.warnings).toEqual([expect.stringMatching(/\bbackup-7\b/)])
  const restored = await restoreBackup(backup)
  expect(await verify(project, "--database-url", restored.url)).toMatchObject({
    code: 0,
    ok: true,
    findings: [],
    warnings: [],
  })
  // A backup of another project or of another history.
  const foreign = await restoreBackup(backup)
  foreign.sql("UPDATE svc_meta SET value = 'another' WHERE key = 'authority' RETURNING 1")
  const refused = await verify(project, "--database-url", foreign.url)
  expect(refused).toMatchObject({code: 1, ok: false})
  expect(refused.findings.join()).toContain("its authority is another")
  await host.post("/api/ingress/resume")
  await say(host, "after")
  await host.stop()

  project.write(".env", `DATABASE_URL=${restored.url}\n`)
  const {newAuthority} = await restore(project, made.id)
  const again = await startHost({project, env: {DATABASE_URL: restored.url}})
  expect(await again.get("/api/system/status")).toMatchObject({authority: newAuthority, ingress: {state: "paused"}})
  // The state at the moment of the backup.
  expect(await textsOf(again)).toEqual(["before"])
})
