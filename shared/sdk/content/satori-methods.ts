/** `read`: answers at once. `act`: has a side effect. `make`: an act that returns what it made, from field `from`. */
type Kind = {readonly is: "read"} | {readonly is: "act"} | {readonly is: "make"; readonly from: string}

const read: Kind = {is: "read"}
const act: Kind = {is: "act"}

/** Satori v1 methods (https://satori.chat) that an adapter may name in `features` and implement with `Sender.call`. */
const methods: Readonly<Record<string, Kind>> = {
  "channel.get": read,
  "channel.list": read,
  "channel.create": {is: "make", from: "data"},
  "channel.update": act,
  "channel.delete": act,
  "channel.mute": act,
  "message.get": read,
  "reaction.clear": act,
  "reaction.list": read,
  "user.get": read,
  "guild.get": read,
  "guild.list": read,
  "guild.approve": act,
  "guild.member.get": read,
  "guild.member.list": read,
  "guild.member.kick": act,
  "guild.member.mute": act,
  "guild.member.approve": act,
  "guild.member.role.set": act,
  "guild.member.role.unset": act,
  "guild.member.role.list": read,
  "guild.role.list": read,
  "guild.role.create": {is: "make", from: "role"},
  "guild.role.update": act,
  "guild.role.delete": act,
  "friend.list": read,
  "friend.delete": act,
  "friend.approve": act,
}

export const methodNames: readonly string[] = Object.keys(methods)

/** Returns the kind of a method; undefined if there is no such method. */
export const kindOf = (method: string): Kind | undefined =>
  Object.hasOwn(methods, method) ? methods[method] : undefined
