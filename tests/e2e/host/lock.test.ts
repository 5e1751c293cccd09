import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, onTestFinished, test, vi} from "vitest"
import {acquireLock, type Holder, withLock} from "../../../server/runtime/lock.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {launchHost, makeProject, type Project, shared, startHost, svc, type TestHost} from "../../support/host/host.ts"
import {startProcess, until, untilPrinted} from "../../support/host/process.ts"
import {casesOf, onBun, root, runtimes, scriptCommand, type TestRuntime} from "../../support/host/runtimes.ts"
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

  test("keeps the lock while SIGSTOP suspends it, even if its lock file is emptied", async () => {
    const host = holder()
    truncateSync(host.project.path(".svc/host.lock"))
    host.process.child.kill("SIGSTOP")
    expect(await refused(host.project, runtime)).toContain(`runtimeId ${host.runtimeId}`)
    host.process.child.kill("SIGCONT")
    expect((await host.fetch("/pub/ready")).status).toBe(200)
  })
})

test("a Host loses the lock when it is killed, and the next start reports an unclean end", async () => {
  const project = makeProject()
  let isFirst = true
  for (const runtime of [...runtimes, onBun]) {
    const host = await startHost({own: true, runtime, project})
    if (!isFirst) expect(await host.get("/api/system/status")).toMatchObject({endedCleanly: false})
    isFirst = false
    await host.stop("SIGKILL")
    expect(existsSync(project.path(".svc/holder.json"))).toBe(true)
  }
})

test("if several Hosts start at the same moment, one runs and the others are refused", async () => {
  const project = makeProject()
  const hosts = [...runtimes, onBun].map(runtime => launchHost({project, runtime}).process)
  let ended = 0
  for (const {finished} of hosts) void finished.then(() => ended++)
  await until("all but one to end", () => ended >= hosts.length - 1 && existsSync(project.path(".svc/host.json")))
  const running = hosts.filter(({child}) => child.exitCode === null)
  expect(running.map(({pid}) => pid)).toEqual([JSON.parse(readFileSync(project.path(".svc/host.json"), "utf8")).pid])
  for (const host of hosts) if (host.child.exitCode !== null) await untilPrinted(host, "holds this project")
})

/** The ways to lose the lock file: Bun has both, and each Node one. */
const losses: readonly [string, (lock: string) => void][] = [
  ["removed", lock => rmSync(lock)],
  [
    "replaced",
    lock => {
      copyFileSync(lock, `${lock}.copy`)
      renameSync(`${lock}.copy`, lock)
    },
  ],
]
const nodes = runtimes.filter(each => each !== onBun)

describe.each(runtimes)("a Host on $name that loses its lock file", runtime => {
  test.each(runtime === onBun ? losses : casesOf(losses, runtime, nodes))(
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
          await sleep(5)
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
      expect(existsSync(project.path(".svc/holder.json"))).toBe(false)
      const ledger = await readLedger(project.path(".svc/data.sqlite"))
      for (const id of acknowledged) expect(ledger.get(id), id).toMatchObject({copies: 1})
    },
  )
})

/** The files of a project without a Host, and a description of this process. */
const lockable = () => {
  const paths = projectPaths(makeProject({files: {".svc/empty": ""}}).folder)
  const who = {hostname: hostname(), pid: process.pid, runtimeId: "none", command: "a test", since: "now"}
  return {paths, holder: (kind: Holder["kind"]): Holder => ({kind, ...who})}
}

test.each([
  ["empty", ""],
  ["cut short", '{"kind":"host","hostname":"exam'],
  ["of another shape", '{"pid":1}'],
])("a description that is %s does not break the lock", async (_, text) => {
  const {paths, holder} = lockable()
  const host = await acquireLock(paths, holder("host"))
  writeFileSync(paths.holder, text)
  await expect(acquireLock(paths, holder("host"))).rejects.toMatchObject({code: "locked"})
  await host.release()
  writeFileSync(paths.holder, text)
  await acquireLock(paths, holder("host"))
  await expect(acquireLock(paths, holder("host"))).rejects.toThrow("runtimeId none")
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
  const host = await startHost({project})
  await untilPrinted(command, "released")
  expect((await host.fetch("/pub/ready")).status).toBe(200)
})

test("a command that releases its lock in two steps is not mistaken for a lock without a description", async () => {
  const {paths, holder} = lockable()
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

test("a new lock file is for its owner only, and one that exists keeps its mode", async () => {
  const {paths, holder} = lockable()
  await (await acquireLock(paths, holder("host"))).release()
  expect(statSync(paths.lock).mode & 0o777).toBe(0o600)
  chmodSync(paths.lock, 0o640)
  await (await acquireLock(paths, holder("host"))).release()
  expect(statSync(paths.lock).mode & 0o777).toBe(0o640)
})

test("a command waits briefly for a Host that releases the lock, and another Host does not", async () => {
  const {paths, holder} = lockable()
  const host = await acquireLock(paths, holder("host"))
  await expect(acquireLock(paths, holder("host"))).rejects.toThrow("a Host holds this project")
  const work = withLock(paths, "a test", async () => "done")
  await sleep(500)
  await host.release()
  expect(await work).toBe("done")
})

test("commands that check for a running Host do not prevent one from starting", async () => {
  const project = makeProject()
  const looking = [1, 2, 3].map(() => svc(onBun, project, ["runtime", "status"]))
  const host = await startHost({project})
  await Promise.all(looking)
  expect((await host.fetch("/pub/ready")).status).toBe(200)
})
