import {setTimeout as sleep} from "node:timers/promises"
import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"
import {readHostFile} from "../../runtime/host-file.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {bypassProxy} from "../../runtime/proxy.ts"

/** Resolves to whether the project's Host is ready within `patience` milliseconds. Asks at least once. */
export const isReadyWithin = async (paths: ProjectPaths, patience: number): Promise<boolean> => {
  const deadline = performance.now() + patience
  for (;;) {
    if (await isReady(paths)) return true
    if (performance.now() >= deadline) return false
    await sleep(200)
  }
}

const isReady = async (paths: ProjectPaths): Promise<boolean> => {
  const file = await readHostFile(paths).catch(() => undefined)
  if (file === undefined) return false
  const url = new URL("/pub/ready", file.url)
  bypassProxy(url)
  return (await withDeadline(2000, signal => fetch(url, {signal})).catch(() => undefined))?.ok === true
}
