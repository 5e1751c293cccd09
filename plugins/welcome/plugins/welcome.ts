import {definePlugin, isProblem, Problem, type Session, Type, UserError} from "svc-runtime"
import {fill, listOf, nameOf, withJoined, withLeft} from "../lib/greeting.ts"
import {createPlaces} from "../lib/places.ts"
import {type Batch, longestWait, Settings, Waiting} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"

/** Returns false if the platform does not support the act. */
const canDo = (act: Promise<unknown>): Promise<boolean> => passes(act, "unsupported")

/** Returns false if there is no endpoint: its plugin is disabled or has failed. */
const isThere = (act: Promise<unknown>): Promise<boolean> => passes(act, "endpoint_unknown")

const passes = (act: Promise<unknown>, code: "unsupported" | "endpoint_unknown"): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (isProblem(error, code)) return false
      throw error
    },
  )

const keyOf = (...parts: readonly string[]): string => parts.join(" ").slice(0, 200)

export default definePlugin({
  description: "Greets people who join, in one message when many join at once",
  config: Settings,
  setup(plugin, config) {
    const {log} = config
    const t = plugin.texts(texts)
    const waiting = plugin.state("plugin", Waiting)

    /** Reports something that the bot cannot do, once. */
    const report = async (key: "noRoles" | "noDirect" | "noChannel", values: {endpoint: string; guild: string}) => {
      const text = t.in(log === undefined ? "en" : await plugin.languageOf(log))(key, values)
      if (log === undefined) plugin.log.warn(text)
      else
        await isThere(
          plugin.send(log, text, {key: keyOf(key, values.endpoint, key === "noChannel" ? values.guild : "")}),
        )
    }

    const placeOf = createPlaces(plugin, config.places)

    /** The number of members, if the platform lists all of them at once. */
    const countOf = async (endpoint: string, guild: string): Promise<string> => {
      const answer = await plugin.ask(endpoint, "guild.member.list", {guild_id: guild}).catch((error: unknown) => {
        // The greeting matters more than its number.
        if (!(error instanceof Problem)) throw error
      })
      const {data, next} = (answer ?? {}) as {data?: readonly unknown[]; next?: string}
      return data === undefined || next !== undefined ? "?" : String(data.length)
    }

    const contentOf = async (batch: Batch, kind: "welcome" | "goodbye") => {
      const {endpoint, channel, guild, guildName} = batch
      const [people, more] = kind === "welcome" ? [batch.joined, batch.more] : [batch.left, batch.gone]
      const language = await plugin.languageOf({endpoint, channel})
      const say = t.in(language)
      const text = (kind === "welcome" ? config.text : config.goodbyeText) ?? say(kind, {user: "{user}"})
      const others = more === 0 ? "" : say("others", {count: more})
      return fill(text, {
        user: listOf(people, others, language, config.mention && kind === "welcome"),
        guild: [guildName],
        count: [text.includes("{count}") ? await countOf(endpoint, guild) : ""],
      })
    }

    const greet = plugin.timer(
      "greet",
      {data: Type.Object({endpoint: Type.String(), channel: Type.String()}), retries: 3},
      async (session, {endpoint, channel}) => {
        const {batches} = await session.state(waiting).get()
        const batch = batches.find(each => each.endpoint === endpoint && each.channel === channel)
        if (batch === undefined) return
        const rest = batches.filter(each => each !== batch)
        await (rest.length === 0 ? session.state(waiting).delete() : session.state(waiting).set({batches: rest}))
        const target = {endpoint, channel}
        if (batch.joined.length > 0) await session.send(target, await contentOf(batch, "welcome"))
        if (batch.left.length > 0) await session.send(target, await contentOf(batch, "goodbye"))
      },
    )

    const batchOf = ({endpoint, guild, channel: reported}: Session, channel: string): Batch => {
      const id = guild?.id ?? channel
      const guildName = guild?.name ?? reported?.name ?? id
      return {endpoint, channel, guild: id, guildName, since: plugin.now(), joined: [], more: 0, left: [], gone: 0}
    }

    /** Adds a person to those who wait for a greeting, and sets the timer that says it. Resolves to the new batch. */
    const gather = async (session: Session, add: (batch: Batch) => Batch): Promise<Batch | undefined> => {
      const {endpoint, guild} = session
      const channel = (await placeOf(session))?.channel ?? session.channel?.id
      if (channel === undefined) return void (await report("noChannel", {endpoint, guild: guild?.id ?? "?"}))
      const {batches} = await session.state(waiting).get()
      const before = batches.find(each => each.endpoint === endpoint && each.channel === channel)
      const batch = add(before ?? batchOf(session, channel))
      await session.state(waiting).set({batches: [...batches.filter(each => each !== before), batch]})
      const at = Math.min(plugin.now() + config.wait * 1000, batch.since + longestWait)
      await session.setTimer(greet, {at}, {endpoint, channel}, {key: keyOf("greet", endpoint, channel)})
      return batch
    }

    plugin.on("guild-member-added", {name: "join", retries: 3}, async session => {
      const {endpoint, user, guild} = session
      if (user === undefined || user.is_bot === true) return
      const known = {endpoint, guild: guild?.id ?? session.channel?.id ?? "?"}
      for (const role of (await placeOf(session))?.roles ?? []) {
        const given = session.call("guild.member.role.set", {guild_id: known.guild, user_id: user.id, role_id: role})
        if (await canDo(given)) continue
        await report("noRoles", known)
        break
      }
      const person = {id: user.id, name: nameOf(user)}
      const batch = await gather(session, each => withJoined(each, person))
      // The rest of a raid gets no direct messages: platforms take them for spam.
      if (config.direct === undefined || (batch?.more ?? 0) > 0) return
      const values = {user: [nameOf(user)], guild: [guild?.name ?? session.channel?.name ?? known.guild]}
      if (!(await canDo(session.send({endpoint, user: user.id}, fill(config.direct, values)))))
        await report("noDirect", known)
    })

    plugin.on("guild-member-removed", {name: "leave", retries: 3}, async session => {
      const {user} = session
      if (user === undefined || user.is_bot === true) return
      const isAwaited = (await session.state(waiting).get()).batches.some(each => each.endpoint === session.endpoint)
      if (!config.goodbye && !isAwaited) return
      const person = {id: user.id, name: nameOf(user)}
      await gather(session, batch => withLeft(batch, person, config.goodbye))
    })

    plugin.command("welcome", {description: t.of("about"), permission: "trusted"}, ({session}) => {
      const {user, channel} = session
      if (user === undefined || channel === undefined) throw new UserError(session.t(t, "nowhere"))
      return contentOf(withJoined(batchOf(session, channel.id), {id: user.id, name: nameOf(user)}), "welcome")
    })
  },
})
