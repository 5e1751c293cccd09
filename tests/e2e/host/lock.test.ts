import {copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync} from "node:fs"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, onTestFinished, test, vi} from "vitest"
import {acquireLock, type Holder, withLock} from "../../../server/runtime/lock.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {launchHost, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {onBun, root, runtimes, scriptCommand, type TestRuntime} from "../../support/host/runtimes.ts"
import {shared} from "../../support/host/shared.ts"
import {echoPlugin, post, readLedger} from "../../support/messages/inbox-ledger.ts"

const lockConfig = "http:\n  port: 0\nplugins:\n  sandbox: {}\n  echo: {}\n"

/** Starts a second Host in the same project. Expects that it exits with a refusal. Returns its output. */
const refused = async (project: Project, runtime: TestRuntime): Promise<string> => {
  const {process: second} = launchHost({project, runtime})
  let code: number | null | undefined
  void second.finished.then(finished => {
    code = finished.code
  })
  await until("the second Host to be refused", () => code !== undefined)
  expect(code).toBe(1)
  expect(second.output()).not.toMatch(/\n\s+at /)
  return second.output()
}

const holderOf = (host: TestHost) => [
  `pid ${host.process.pid} on ${hostname()}`,
  `runtimeId ${host.runtimeId}`,
  "started as: svc runtime start",
  "svc runtime stop",
]

describe.each(runtimes)("a Host on $name", runtime => {
  const holder = shared(() => startHost({own: true, runtime}))

  test.each(runtimes)("refuses a second Host on $name and names the holder", async other => {
    const host = holder()
    const output = await refused(host.project, other)
    for (const text of holderOf(host)) expect(output).toContain(text)
    expect((await host.fetch("/pub/ready")).status).toBe(200)
  })

  test("loses the lock when it is killed, and the next start reports an unclean end", async () => {
    const host = await startHost({own: true, runtime})
    await host.stop("SIGKILL")
    expect(existsSync(host.project.path(".svc/holder.json"))).toBe(true)
    for (const next of runtimes) {
      const after = await startHost({own: true, runtime: next, project: host.project})
      expect(await after.get("/api/system/status")).toMatchObject({endedCleanly: false})
      await after.stop("SIGKILL")
    }
  })

  test("keeps the lock while SIGSTOP suspends it", async () => {
    const host = holder()
    host.process.child.kill("SIGSTOP")
    for (const other of runtimes) expect(await refused(host.project, other)).toContain(`runtimeId ${host.runtimeId}`)
    host.process.child.kill("SIGCONT")
    expect((await host.fetch("/pub/ready")).status).toBe(200)
  })
})

test("if several Hosts start at the same moment, one runs and the others are refused", async () => {
  const project = makeProject()
  const hosts = [...runtimes, ...runtimes].map(runtime => launchHost({project, runtime}).process)
  let ended = 0
  for (const {finished} of hosts) void finished.then(() => ended++)
  await until("all but one to end", () => ended >= hosts.length - 1 && existsSync(project.path(".svc/host.json")))
  const running = hosts.filter(({child}) => child.exitCode === null)
  expect(running.map(({pid}) => pid)).toEqual([JSON.parse(readFileSync(project.path(".svc/host.json"), "utf8")).pid])
  for (const host of hosts) if (host.child.exitCode !== null) await untilPrinted(host, "holds this project")
})

describe.each(runtimes)("a Host on $name that loses its lock file", runtime => {
  test.each([
    ["removed", (lock: string) => rmSync(lock)],
    [
      "replaced",
      (lock: string) => {
        copyFileSync(lock, `${lock}.copy`)
        renameSync(`${lock}.copy`, lock)
      },
    ],
  ])(
    "because it is %s acknowledges nothing more and exits with 75, and the next start takes the lock",
    async (how, takeAway) => {
      const host = await startHost({own: true, runtime, config: lockConfig, plugins: {echo: echoPlugin}})
      const {project} = host
      const acknowledged: string[] = []
      let hasEnded = false
      void host.process.finished.then(() => {
        hasEnded = true
      })
      const posting = (async () => {
        for (let n = 0; !hasEnded; n++) {
          const answer = await post(host, `event ${n}`).catch(() => undefined)
          if (answer?.status === 202) acknowledged.push(`event ${n}`)
        }
      })()
      await until("twenty events to be acknowledged", () => acknowledged.length >= 20)
      takeAway(project.path(".svc/host.lock"))
      // The next Host starts while the first one ends, and keeps its own description.
      const next = await startHost({own: true, runtime, project})
      const {code, stdout} = await host.process.finished
      await posting
      expect(code).toBe(75)
      expect(stdout).toContain(`host.lock was ${how} `)
      expect(await refused(project, runtime)).toContain(`runtimeId ${next.runtimeId}`)
      expect(JSON.parse(project.read(".svc/host.json"))).toMatchObject({runtimeId: next.runtimeId})
      await next.stop()
      const ledger = await readLedger(project.path(".svc/data.sqlite"))
      for (const id of acknowledged) expect(ledger.get(id), id).toMatchObject({copies: 1})
    },
  )
})

test("a stopped Host removes its description", async () => {
  const host = await startHost({own: true})
  await host.stop()
  expect(existsSync(host.project.path(".svc/holder.json"))).toBe(false)
})

test.each([
  ["empty", ""],
  ["cut short", '{"kind":"host","hostname":"exam'],
  ["of another shape", '{"pid":1}'],
])("a description that is %s does not break the lock", async (_, text) => {
  const host = await startHost({own: true})
  host.project.write(".svc/holder.json", text)
  expect(problemsIn(await refused(host.project, onBun))).toEqual(["locked"])
  await host.stop("SIGKILL")
  host.project.write(".svc/holder.json", text)
  const next = await startHost({own: true, project: host.project})
  expect(await refused(host.project, onBun)).toContain(`runtimeId ${next.runtimeId}`)
})

test("a lock file that is emptied while held still refuses a second Host", async () => {
  const host = await startHost({own: true})
  truncateSync(host.project.path(".svc/host.lock"))
  expect(await refused(host.project, onBun)).toContain(`runtimeId ${host.runtimeId}`)
})

test("a lock file with other content is refused with a remedy", async () => {
  const project = makeProject({files: {".svc/host.lock": "not a lock\n".repeat(1000)}})
  const output = await refused(project, onBun)
  expect(output).toContain(project.path(".svc/host.lock"))
  expect(output).toContain("delete that file")
})

test("a Host waits for a lock that a command holds", async () => {
  const project = makeProject({files: {".svc/empty": ""}})
  const script = `${root}tests/e2e/host/hold-lock.ts`
  const command = startProcess([...scriptCommand(onBun, script), project.folder, "1500"])
  await untilPrinted(command, "held")
  const host = await startHost({own: true, project})
  await untilPrinted(command, "released")
  expect((await host.fetch("/pub/ready")).status).toBe(200)
})

test("a command that releases its lock in two steps is not mistaken for a lock without a description", async () => {
  const paths = projectPaths(makeProject({files: {".svc/empty": ""}}).folder)
  const who = {hostname: hostname(), pid: process.pid, runtimeId: "none", command: "a test", since: "now"}
  const holder = (kind: Holder["kind"]): Holder => ({kind, ...who})
  vi.useFakeTimers({toFake: ["performance"]})
  onTestFinished(() => void vi.useRealTimers())
  const command = await acquireLock(paths, holder("command"))
  const waiting = acquireLock(paths, holder("host"))
  vi.advanceTimersByTime(5000)
  rmSync(paths.holder)
  // Longer than the Host looks for a description.
  await sleep(500)
  await command.release()
  await (await waiting).release()
})

test("a command waits briefly for a Host that releases the lock, and another Host does not", async () => {
  const project = makeProject({files: {".svc/empty": ""}})
  const paths = projectPaths(project.folder)
  const starting = {
    kind: "host",
    hostname: hostname(),
    pid: process.pid,
    runtimeId: "none",
    command: "a test",
    since: "now",
  } as const
  const host = await acquireLock(paths, starting)
  await expect(acquireLock(paths, {...starting, runtimeId: "another"})).rejects.toThrow("a Host holds this project")
  const work = withLock(paths, "a test", async () => "done")
  await sleep(500)
  await host.release()
  expect(await work).toBe("done")
})

test("commands that check for a running Host do not prevent one from starting", async () => {
  const project = makeProject()
  const looking = [1, 2, 3].map(() => svc(onBun, project, ["runtime", "status"]))
  const host = await startHost({own: true, project})
  await Promise.all(looking)
  expect((await host.fetch("/pub/ready")).status).toBe(200)
})
