import {relative} from "node:path"
import {watch} from "chokidar"
import type {ProjectPaths} from "../runtime/project.ts"

/** Changes within this time, in milliseconds, count as one. */
const quiet = 60

export interface Watcher {
  /** Also watches these files from now on. */
  add(paths: readonly string[]): void
  /** Calls `changed` with a path in the project once changed files have been quiet; also for earlier changes. */
  onChange(changed: (path: string) => void): void
  close(): Promise<void>
}

/**
 * Watches the configuration, `.env` and the environment's own file, and the source of plugins. Resolves once it cannot
 * miss a change: what is read afterwards is either current or reported.
 */
export const watchProject = async (paths: ProjectPaths, environment: string): Promise<Watcher> => {
  const watched = new Set<string>()
  const watcher = watch(
    [paths.config, `${paths.project}/.env`, `${paths.project}/.env.${environment}`, paths.plugins],
    {
      ignoreInitial: true,
      ignored: path => /[/\\](node_modules|\.git|\.svc)([/\\]|$)/.test(relative(paths.project, path)),
    },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  let changedPath: string | undefined
  let report: ((path: string) => void) | undefined
  const settle = () => {
    if (report === undefined || changedPath === undefined) return
    const path = changedPath
    changedPath = undefined
    report(path)
  }
  watcher.on("all", (_, path) => {
    changedPath = relative(paths.project, path)
    clearTimeout(timer)
    timer = setTimeout(settle, quiet)
  })
  await new Promise<void>(resolve => watcher.once("ready", resolve))
  return {
    add: files => {
      const fresh = files.filter(
        file => !watched.has(file) && !file.startsWith(paths.plugins) && !file.startsWith(paths.state),
      )
      for (const file of fresh) watched.add(file)
      if (fresh.length > 0) watcher.add(fresh)
    },
    onChange: changed => {
      report = changed
      settle()
    },
    close: async () => {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
