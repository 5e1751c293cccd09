import {agentsPluginName} from "../../../shared/agents/binding.ts"
import {exit} from "../../../shared/exit.ts"
import {Problem} from "../../../shared/problems.ts"
import {AgentMeter} from "../../agents/meter.ts"
import {Capacity} from "../../capacity/capacity.ts"
import {DamageWatch} from "../../capacity/damage-watch.ts"
import {watchDisk} from "../../capacity/disk-watch.ts"
import {PlaceWatch} from "../../capacity/place-watch.ts"
import {readEnvironment} from "../../config/load.ts"
import {Containment} from "../../generation/containment.ts"
import type {Generation} from "../../generation/generation.ts"
import type {Configuration} from "../../generation/routes/edit-config.ts"
import {createLanguageOf, LanguageChoices} from "../../messages/language/choices.ts"
import {PluginStarts} from "../../plugins/starts.ts"
import {foldersOf} from "../../project/settings.ts"
import {RunningBuild} from "../../recovery/build/running.ts"
import {filesParticipant} from "../../recovery/checkpoint/files-part.ts"
import {jobsParticipant} from "../../recovery/checkpoint/jobs-part.ts"
import {workroomParticipant} from "../../recovery/checkpoint/workroom-part.ts"
import {UncommittedWatch} from "../../recovery/uncommitted.ts"
import {systemClock} from "../../runtime/flow/clock.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import type {Jobs} from "../../scheduler/jobs.ts"
import type {Timers} from "../../scheduler/timers/timers.ts"
import {openWorkroom, workroomPluginOf} from "../../workroom/open.ts"
import {builtIns} from "../generations/built-in-plugins.ts"
import {createGenerations} from "../generations/generations.ts"
import type {HostOptions} from "../host.ts"
import type {OpenProject} from "../open.ts"
import type {Parts} from "../parts.ts"
import {createAgents, type HostAgents} from "./agents.ts"
import {openEvents} from "./events.ts"
import {createJobs, createTimers} from "./jobs.ts"
import {createDraftFiles, createFiles, createMessages} from "./messages.ts"
import {createRecovery} from "./recovery.ts"
import {createUserData} from "./users.ts"

const notLoaded = [] as const

export type Assembled = Awaited<ReturnType<typeof assemble>>

/**
 * Creates the parts of a Host that use the project's state, and connects them. The event log, the workroom and the file
 * watcher are started here; the table starts the others.
 */
export const assemble = async (options: HostOptions, runtime: Runtime, opened: OpenProject, parts: Parts) => {
  const {mode, environment = mode, logs, clock = systemClock} = options
  const {log} = logs
  const {runtimeId, paths, project, boot, database, authority, content, askExit} = opened
  const current = (): Generation => {
    if (generations.current === undefined) throw new Problem("starting", "no generation is committed yet")
    return generations.current
  }
  const settings = () => current().config.config

  const events = await parts.start({
    name: "the event log",
    start: () => openEvents({database, project, authority, logs, limits: () => settings().events.history}),
    stop: (_, opened) => opened.close(),
  })
  const workroom = await parts.start({
    name: "the workroom",
    start: () => openWorkroom({config: boot.config, database, paths, authority, log}),
    stop: (_, opened) => opened.close(),
  })

  const files = createFiles({paths, database, log, settings})
  const {outbox, inbox, gaps, pasts, ingress, endpoints, satori, commandLists} = createMessages({
    database,
    log,
    files,
    runtimeId,
    clock,
    events,
    base: boot.config.http.base,
    ingressChanged: () => {
      jobs.ingressChanged()
      timers.consider()
      starts.ingressChanged()
      agents.ingressChanged()
    },
    settings,
    commands: () => current().snapshot.messages.router.commands,
    language: () => current().snapshot.messages.languages.known[0] ?? "en",
  })
  const draftFiles = createDraftFiles(files, endpoints, {paths, database, log, settings})
  const disk = {
    folders: foldersOf(database.location, paths),
    least: () => settings().ingress.minimumFree * 1024 ** 2,
  }
  const diskWatch = watchDisk({...disk, onChange: isFull => ingress.setDiskFull(isFull), log})
  const placeWatch = new PlaceWatch({
    database,
    paths,
    log,
    onReplaced: () => ingress.setDatabaseLost(),
    onLockLost: () => askExit({code: exit.runtimeRestart, reason: "lock_lost"}),
  })
  const damageWatch = new DamageWatch({database, log, onNeeded: () => ingress.setDatabaseLost()})
  const capacity = new Capacity({
    database,
    log,
    settings: () => settings().retention,
    reachedAll: () => satori.hasReachedAll,
    disk,
    fileQuota: () => settings().files.quota,
  })
  const build = new RunningBuild(paths, {
    plugins: () => generations.current?.instances ?? notLoaded,
    configuration: () => generations.pin?.fileSha256 ?? generations.current?.config.sha256,
    isReloading: options.watch && mode !== "production",
  })
  const recovery = createRecovery({
    paths,
    build,
    project,
    authority,
    runtimeId,
    database,
    participants: [
      workroomParticipant(paths, workroom),
      jobsParticipant(paths),
      filesParticipant(paths, database, files),
    ],
    ingress,
    least: disk.least,
    settings,
    log,
    scrub: logs.scrubJson,
  })
  const watcher = await parts.start({
    name: "the watch on files",
    early: true,
    start: async () =>
      options.watch ? (await import("../../generation/watch.ts")).watchProject(paths, environment) : undefined,
    stop: (_, watching) => watching?.close(),
  })
  const starts = new PluginStarts({
    isPaused: () => ingress.isPaused,
    fail: error => void containment.contain(error),
  })
  const choices = new LanguageChoices(database, log)
  const languageOf = createLanguageOf(() => current().snapshot.messages.languages, choices)
  const generations = createGenerations({
    host: options,
    runtime,
    opened,
    plugins: {
      workroom: workroomPluginOf(workroom, () => generations.current?.snapshot.messages.texts),
      agents: () => agents.plugin(),
    },
    endpoints,
    outbox,
    starts,
    committed: () => {
      timers.generationChanged().catch(error => log.error("the Host could not rearm the timers", {error}))
      void jobs.generationChanged()
      agents.generationChanged()
      for (const endpoint of endpoints.list()) commandLists.announce(endpoint)
    },
    timers: () => timers,
    files: draftFiles,
    languageOf,
    agents: () => agents,
    events,
    recovery,
    watcher,
  })
  const uncommitted = new UncommittedWatch(paths.config)
  const configuration: Configuration = {
    path: paths.config,
    mode,
    generations,
    environment: () => readEnvironment(paths.project, environment, process.env),
    uncommitted: again => uncommitted.look(again),
  }
  const pluginNames = {
    builtIn: Object.keys({...builtIns, ...options.plugins}).filter(name => name !== agentsPluginName),
    folder: paths.plugins,
  }
  const jobs: Jobs = createJobs({
    database,
    log,
    scrub: logs.scrub,
    runtimeId,
    authority,
    paths,
    content,
    outbox,
    endpoints,
    generations,
    ingress,
    workroom,
    clock,
    files: draftFiles,
    agent: {problem: target => agents.target.problem(target), fire: firing => agents.target.fire(firing)},
  })
  const timers: Timers = createTimers({database, log, generations, ingress, inbox, clock})
  const agentMeter = new AgentMeter()
  const agents: HostAgents = createAgents({
    database,
    log,
    clock,
    runtimeId,
    project: paths.project,
    outbox,
    endpoints,
    workroom,
    files: draftFiles,
    ingress,
    generations: () => generations,
    languageOf,
    hide: logs.scrub,
    timers: () => timers,
    meter: agentMeter,
  })
  const users = createUserData({
    database,
    choices,
    inbox,
    outbox,
    files,
    checkpoints: recovery.checkpoints,
    workroom,
    settings,
  })
  const containment: Containment = new Containment(generations, log)
  return {
    current,
    build,
    events,
    workroom,
    files,
    draftFiles,
    outbox,
    choices,
    inbox,
    gaps,
    pasts,
    ingress,
    endpoints,
    satori,
    disk,
    diskWatch,
    placeWatch,
    damageWatch,
    capacity,
    recovery,
    users,
    watcher,
    generations,
    configuration,
    pluginNames,
    uncommitted,
    starts,
    timers,
    jobs,
    agents,
    bindings: agents.bindings,
    agentMeter,
    containment,
  }
}
