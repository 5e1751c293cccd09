import {expect, test} from "vitest"
import {findSupervisor, followSupervisor} from "../../../server/process/daemon/supervisor.ts"

/** Neither a process of this machine, nor a child of one. */
const alone = {pid: 4_194_301, ppid: 4_194_302}

test.each([
  ["none", {}],
  ["kubernetes", {KUBERNETES_SERVICE_HOST: "10.0.0.1"}],
  ["systemd", {INVOCATION_ID: "1", SYSTEMD_EXEC_PID: String(alone.pid)}],
  ["launchd", {XPC_SERVICE_NAME: "svc.my-bot"}],
  ["pm2", {pm_id: "3"}],
  ["supervisord", {SUPERVISOR_ENABLED: "1", SUPERVISOR_PROCESS_NAME: "bot"}],
  ["mine", {SVC_SUPERVISOR: "mine", pm_id: "3"}],
  ["daemon", {SVC_DAEMON_PID: String(alone.ppid), SVC_SUPERVISOR: "mine"}],
] as const)("detects %s by its environment variables", (name, variables) => {
  expect(findSupervisor(variables, alone)).toBe(name)
})

test.each([
  ["a daemon that has died, and left its Host to another parent", {SVC_DAEMON_PID: "1"}],
  ["a terminal on macOS", {XPC_SERVICE_NAME: "0"}],
  ["a macOS application that starts a shell", {XPC_SERVICE_NAME: "application.com.example.editor.1.2"}],
  ["a session that inherited systemd's variables", {INVOCATION_ID: "1", SYSTEMD_EXEC_PID: "4194300"}],
  ["an empty SVC_SUPERVISOR", {SVC_SUPERVISOR: ""}],
] as const)("detects no supervisor from %s", (_, variables) => expect(findSupervisor(variables, alone)).toBe("none"))

test("detects no supervisor from being a container's main process: the engine needs a policy", () => {
  expect(findSupervisor({}, {pid: 1, ppid: 0})).toBe("none")
  expect(findSupervisor({SVC_SUPERVISOR: "docker"}, {pid: 1, ppid: 0})).toBe("docker")
})

test("a daemon that dies is no longer the supervisor at the next check", () => {
  const own = {...alone}
  const supervisor = followSupervisor({SVC_DAEMON_PID: String(alone.ppid)}, own)
  expect([supervisor(), supervisor()]).toEqual(["daemon", "daemon"])
  own.ppid = 1
  expect([supervisor(), supervisor()]).toEqual(["none", "none"])
})
