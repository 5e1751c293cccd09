import {relative} from "node:path"
import {watch} from "chokidar"
import type {ProjectPaths} from "../runtime/project.ts"

/** Changes that come so close together, in milliseconds, are one. */
const quiet = 60

export interface Watcher {
  /** Watches these files too, from now on. */
  add(paths: readonly string[]): void
  /** Calls back with a path of the project, once files have changed and are quiet again. */
  onChange(changed: (path: string) => void): void
  close(): Promise<void>
}

/** Watches the configuration, `.env` and the environment's own file, and the plugins' source. */
export const watchProject = (paths: ProjectPaths, environment: string): Watcher => {
  const watched = new Set<string>()
  const watcher = watch(
    [paths.config, `${paths.project}/.env`, `${paths.project}/.env.${environment}`, paths.plugins],
    {
      ignoreInitial: true,
      ignored: path => /[/\\](node_modules|\.git|\.svc)([/\\]|$)/.test(relative(paths.project, path)),
    },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  let report: (path: string) => void = () => {}
  watcher.on("all", (_, path) => {
    clearTimeout(timer)
    timer = setTimeout(() => report(relative(paths.project, path)), quiet)
  })
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
    },
    close: async () => {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
