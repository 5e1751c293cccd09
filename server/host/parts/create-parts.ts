import {agentsPluginName} from "../../../shared/agents/binding.ts"
import {createAgents} from "../../agents/part/part.ts"
import {readEnvironment} from "../../config/load.ts"
import {Gaps} from "../../endpoints/gaps/gaps.ts"
import {Ingress} from "../../endpoints/ingress.ts"
import {createEndpoints} from "../../endpoints/part/part.ts"
import {Pasts} from "../../endpoints/pasts.ts"
import {openEvents} from "../../events/part.ts"
import {createContain} from "../../generation/containment.ts"
import {PluginStarts} from "../../generation/instances/starts.ts"
import type {Configuration} from "../../generation/routes/edit-config.ts"
import {RunningGeneration} from "../../generation/running-generation.ts"
import {createDoor} from "../../http/door.ts"
import {createSatori} from "../../http/satori/part.ts"
import {readLastTimes} from "../../inbox/look-ups.ts"
import {createInbox} from "../../inbox/part/part.ts"
import {createAnnounce} from "../../messages/command-lists.ts"
import {createLanguageOf, LanguageChoices} from "../../messages/language/choices.ts"
import {createFiles} from "../../outbox/files/part.ts"
import {createDraftFiles, createOutbox} from "../../outbox/part/part.ts"
import {createCapacity} from "../../project/capacity/part.ts"
import type {UserDataOptions} from "../../project/capacity/user/user-data.ts"
import {foldersOf, minimumFreeOf} from "../../project/settings.ts"
import {createRecovery} from "../../recovery/part/part.ts"
import {filesParticipant} from "../../recovery/parts/files.ts"
import {jobsParticipant} from "../../recovery/parts/jobs.ts"
import {workroomParticipant} from "../../recovery/parts/workroom.ts"
import {UncommittedWatch} from "../../recovery/uncommitted.ts"
import {systemClock} from "../../runtime/flow/clock.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {createJobs, createTimers} from "../../scheduler/part/part.ts"
import {openWorkroomPart} from "../../workroom/part.ts"
import {countNaming, partyOf} from "../../workroom/party.ts"
import {createGenerations} from "../generations/generations.ts"
import type {HostOptions} from "../open/host.ts"
import type {OpenProject} from "../open/open.ts"
import type {Parts} from "../open/parts.ts"
import {builtIns} from "../plugins/built-in-plugins.ts"

export type HostParts = Awaited<ReturnType<typeof createParts>>

/**
 * Creates the parts of a Host that use the project's state, each after those that it needs. The event log, the workroom
 * and the file watcher run from here on; `listParts` starts the others.
 */
export const createParts = async (options: HostOptions, runtime: Runtime, opened: OpenProject, parts: Parts) => {
  const {mode, environment = mode, logs, clock = systemClock, standIns, onlyEndpoint} = options
  const {log, scrub} = logs
  const {paths, database, boot} = opened
  const ground = {...opened, mode, watch: options.watch, logs, log, scrub, clock, standIns, onlyEndpoint}
  const running = new RunningGeneration()
  const {previousToken, demoToken} = boot.config.http
  const tokens = {token: opened.token.used, previousToken, demoToken}
  const door = createDoor({tokens, settings: () => running.settings.http})
  const events = parts.add(await openEvents(ground, running))
  const workroom = parts.add(await openWorkroomPart(ground, running))
  const watcher = options.watch
    ? await (await import("../../generation/watch.ts")).watchProject(paths, environment)
    : undefined
  parts.add({name: "the watch on files", stopTaking: () => watcher?.close()})
  const files = createFiles(ground, running)
  const ingress = new Ingress(database, log, events.raise)
  const pasts = new Pasts(database, log, () => readLastTimes(database))
  const gaps = new Gaps(database, log)
  const outbox = createOutbox(ground, ingress)
  const inbox = createInbox(ground, {outbox, ingress, pasts, running})
  const connected = createEndpoints(
    ground,
    {ingress, gaps, pasts, inbox, outbox, raise: events.raise, file: files.open},
    running,
  )
  const {endpoints} = connected
  const satori = createSatori(ground, {connected, outbox, files: files.store, running}, door.guard)
  const announceCommands = createAnnounce(
    () => running.require().snapshot.messages.router.commands,
    () => running.require().snapshot.messages.languages.known[0] ?? "en",
  )
  connected.hear({online: announceCommands})
  const draftFiles = createDraftFiles(ground, files.store, endpoints, running)
  const choices = new LanguageChoices(database, log)
  const languageOf = createLanguageOf(() => running.require().snapshot.messages.languages, choices)
  const timers = createTimers(ground, {running, ingress, inbox, endpoints})
  const sending = {running, ingress, outbox, endpoints, files: draftFiles}
  const agents = createAgents(ground, {
    ...sending,
    languageOf,
    workroom: workroom.workroom,
    timers: timers.timers,
  })
  const jobs = createJobs(ground, {...sending, item: workroom.target, agent: agents.target})
  const disk = {folders: foldersOf(database.location, paths), least: () => minimumFreeOf(running.settings)}
  const participants = [
    workroomParticipant(paths, workroom.workroom),
    jobsParticipant(paths),
    filesParticipant(paths, database, files.store),
  ]
  const recovery = createRecovery(ground, {running, ingress, participants, disk})
  const users: Omit<UserDataOptions, "database"> = {
    dropFiles: () => files.store.sweep(),
    forgotten: (part, rows) => parts.forgotten(part, rows),
    remains: async ({endpoint, user}) => ({
      checkpoints: await recovery.checkpoints.store.ids(),
      workItems: countNaming(workroom.workroom.items, partyOf(endpoint, user)),
      eventLog: running.settings.events.history.age,
    }),
  }
  const capacity = createCapacity({...ground, disk}, {running, ingress, satori: satori.server, users})
  const starts = new PluginStarts(ingress)
  const generations = createGenerations({
    ...sending,
    host: options,
    runtime,
    opened,
    plugins: {workroom: workroom.plugin, agents: agents.plugin},
    starts,
    timers: timers.timers,
    languageOf,
    agents,
    raise: events.raise,
    recovery,
    watcher,
  })
  running.onCommit(() => {
    for (const endpoint of endpoints.list()) announceCommands(endpoint)
  })
  const uncommitted = new UncommittedWatch(paths.config)
  const configuration: Configuration = {
    path: paths.config,
    mode,
    generations,
    environment: () => readEnvironment(paths.project, environment, process.env),
    uncommitted: again => uncommitted.look(again),
  }
  return {
    ...sending,
    events,
    workroom,
    files,
    draftFiles,
    door,
    choices,
    inbox,
    pasts,
    connected,
    satori,
    capacity,
    recovery,
    watcher,
    generations,
    configuration,
    pluginNames: {
      builtIn: Object.keys({...builtIns, ...options.plugins}).filter(name => name !== agentsPluginName),
      folder: paths.plugins,
    },
    uncommitted,
    starts,
    timers,
    jobs,
    agents,
    contain: createContain(generations, running, log),
  }
}
