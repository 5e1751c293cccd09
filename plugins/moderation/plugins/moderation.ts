import {channelType, definePlugin, Problem, Type, UserError} from "svc-runtime"

const Settings = Type.Object({
  words: Type.Array(Type.String({minLength: 1}), {
    description: "The bot deletes messages that contain one of these words",
  }),
  minutes: Type.Number({default: 10, description: "For how many minutes their authors are muted"}),
  log: Type.Object({endpoint: Type.String(), channel: Type.String()}, {description: "The moderators' channel"}),
})

/** The state of a user: whether a case is open, and where it began. */
const Case = Type.Object({
  isOpen: Type.Boolean({default: false}),
  channel: Type.String({default: ""}),
  guild: Type.String({default: ""}),
})

/** Returns false if the platform does not support the act. */
const canDo = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (error instanceof Problem && error.code === "unsupported") return false
      throw error
    },
  )

export default definePlugin({
  description: "Deletes messages, mutes their authors, and passes their appeals to the moderators",
  config: Settings,
  setup(plugin, {words, minutes, log}) {
    const cases = plugin.state("user", Case)
    const keyOf = (endpoint: string, user: string | undefined) => `${endpoint} ${user}`

    /** Ends a case when its time is over, or at once when a moderator pardons the user. */
    const close = plugin.timer("close", {data: Type.Object({by: Type.String()})}, async (session, {by}) => {
      const {isOpen, guild} = await session.state(cases).get()
      if (!isOpen || session.user === undefined) return
      const {id} = session.user
      await session.state(cases).delete()
      if (by === "") return void (await session.send(log, `The mute of ${id} has ended.`))
      await canDo(session.call("guild.member.mute", {guild_id: guild, user_id: id, duration: 0}))
      await session.send(log, `${by} pardoned ${id}.`)
      await canDo(session.send({endpoint: session.endpoint, user: id}, "You may write again."))
    })

    plugin.on("message-created", {name: "words"}, async session => {
      const {event, endpoint, user, channel, text} = session
      const word = words.find(each => text.toLowerCase().includes(each))
      if (word === undefined || user === undefined || channel === undefined || event.message === undefined) return
      if (channel.type === channelType.direct || session.permission !== "user") return
      const guild = session.guild?.id ?? ""
      const duration = minutes * 60_000
      const isDeleted = await canDo(session.delete({platform: event.message.id}))
      const isMuted = await canDo(session.call("guild.member.mute", {guild_id: guild, user_id: user.id, duration}))
      await session.state(cases).set({isOpen: true, channel: channel.id, guild})
      await session.setTimer(close, {in: duration}, {by: ""}, {key: keyOf(endpoint, user.id)})
      const done = `${isDeleted ? "deleted" : "not deleted"}, ${isMuted ? `muted for ${minutes} min` : "not muted"}`
      await session.send(log, `${user.id} on ${endpoint} wrote "${text}" (${word}): ${done}.`)
      const told = `The word "${word}" is not allowed here. If this was a mistake, write here: /appeal and why.`
      await canDo(session.send({endpoint, user: user.id}, told))
    })

    plugin.command("appeal <why:text>", {description: "Appeal against a mute"}, async ({args, session}) => {
      if (!(await session.state(cases).get()).isOpen) throw new UserError("There is nothing to appeal.")
      const pardon = `/pardon ${session.endpoint} ${session.user?.id}`
      await session.send(log, `${session.user?.id} appeals: "${args.why}". To let them write: ${pardon}`)
      return "The moderators have your appeal."
    })

    plugin.command("pardon <endpoint:string> <user:string>", {permission: "trusted"}, async ({args, session}) => {
      const {endpoint, user} = args
      const {isOpen, channel} = await cases.of({endpoint, user}).get()
      if (!isOpen) throw new UserError(`There is no open case for ${user}.`)
      const by = session.user?.id ?? "Somebody"
      await plugin.setTimer(close, {in: 0, target: {endpoint, channel, user}}, {by}, {key: keyOf(endpoint, user)})
    })

    plugin.onStart(() => plugin.send(log, `Moderation is on: ${words.join(", ")}.`, {key: `on ${words}`.slice(0, 200)}))
  },
})
