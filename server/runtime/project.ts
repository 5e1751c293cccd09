import {join} from "node:path"

/** The files of a project. Only this place knows their names. All paths are absolute. */
export const projectPaths = (project: string) => ({
  project,
  config: join(project, "svc.config.yml"),
  manifest: join(project, "package.json"),
  plugins: join(project, "plugins"),
  builtPlugins: join(project, "dist/plugins"),
  buildRecord: join(project, "dist/plugins/build.json"),
  state: join(project, ".svc"),
  temporary: join(project, ".svc/tmp"),
  pluginCache: join(project, ".svc/tmp/plugins"),
  database: join(project, ".svc/data.sqlite"),
  checkpoints: join(project, ".svc/checkpoints"),
  restore: join(project, ".svc/restore.json"),
  install: join(project, ".svc/install.json"),
  builds: join(project, ".svc/builds"),
  lastGood: join(project, ".svc/last-good"),
  releases: join(project, ".svc/releases.jsonl"),
  authority: join(project, ".svc/authority.json"),
  highWater: join(project, ".svc/high-water.json"),
  generation: join(project, ".svc/generation.json"),
  signIns: join(project, ".svc/mcp"),
  tokenAges: join(project, ".svc/token-ages.json"),
  jobs: join(project, "data/schedule-jobs.json"),
  files: join(project, "data/files"),
  lock: join(project, ".svc/host.lock"),
  holder: join(project, ".svc/holder.json"),
  host: join(project, ".svc/host.json"),
  starts: join(project, ".svc/starts.json"),
  daemonLock: join(project, ".svc/daemon.lock"),
  daemonHolder: join(project, ".svc/daemon-holder.json"),
  daemon: join(project, ".svc/daemon.json"),
  log: join(project, ".svc/runtime.log"),
  logs: join(project, ".svc/logs"),
})

export type ProjectPaths = ReturnType<typeof projectPaths>
