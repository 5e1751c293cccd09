import {expect, onTestFinished, test, vi} from "vitest"
import {createNotifier} from "../../../server/process/notify.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {until} from "../../support/host/process.ts"
import {fakeNotify} from "../../support/machine/fake-notify.ts"

const notifying = (more = "", variables: Record<string, string> = {}) => {
  const fake = fakeNotify(more)
  const lines: string[] = []
  const {log} = createLogs({level: "warn", format: "json", colors: false, write: line => void lines.push(line)})
  vi.useFakeTimers({toFake: ["setInterval"]})
  onTestFinished(() => void vi.useRealTimers())
  const notifier = createNotifier({...fake.variables, ...variables}, log)
  const {told} = fake
  const toldThat = (line: string) => until(`systemd to be told ${line}`, () => told().includes(line))
  return {notifier, told, toldThat, warnings: () => lines.length}
}

test("tells that the Host is up, each change of its readiness, and its stop", async () => {
  const {notifier, told, toldThat, warnings} = notifying()
  let readiness = "not ready:\n  endpoint"
  notifier.up(() => readiness)
  await toldThat("READY=1 STATUS=not ready: endpoint")
  vi.advanceTimersByTime(60_000)
  readiness = "ready"
  notifier.up(() => readiness)
  vi.advanceTimersByTime(5000)
  await toldThat("STATUS=ready")
  notifier.stopping()
  await toldThat("STOPPING=1")
  vi.advanceTimersByTime(60_000)
  expect(told()).toEqual(["READY=1 STATUS=not ready: endpoint", "STATUS=ready", "STOPPING=1"])
  expect(warnings()).toBe(0)
})

test.each([
  ["hangs", "exec sleep 60"],
  ["fails", "exit 3"],
])("a program that %s is reported once, and the next values follow", async (_, more) => {
  const {notifier, told, toldThat, warnings} = notifying(more, {WATCHDOG_USEC: "400000"})
  notifier.up(() => "ready")
  await toldThat("READY=1 STATUS=ready")
  for (let n = 1; n <= 2; n++) {
    vi.advanceTimersByTime(200)
    await until(`beat ${n}`, () => told().filter(line => line === "WATCHDOG=1").length === n)
  }
  await until("the warning", () => warnings() === 1)
})

test("a Host without a socket or the program tells nothing, and reports only a missing program", () => {
  const without = notifying("", {NOTIFY_SOCKET: ""})
  without.notifier.up(() => "ready")
  expect(without.warnings()).toBe(0)
  const missing = notifying("", {PATH: "/nowhere"})
  missing.notifier.up(() => "ready")
  missing.notifier.stopping()
  expect([without.told(), missing.told(), missing.warnings()]).toEqual([[], [], 1])
})
