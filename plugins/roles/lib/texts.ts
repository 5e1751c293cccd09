/** The bot's texts in each of its languages. */
export const texts = {
  en: {
    about: "Post a panel with buttons for roles",
    took: "You have the role {role} now.",
    swapped: "You have the role {role} now, and no longer {others}.",
    dropped: "You no longer have the role {role}.",
    refused: "The platform did not change the role {role}. Ask the team of this server.",
    gone: "This role is no longer offered.",
    noRoles: "This platform has no roles that a bot can give.",
    outside: "Roles belong to a server or group: press the button there.",
    noPanel: "There is no panel {panel}. There is: {panels}",
    unknown: "The server has no role with the id {ids}. Correct the configuration.",
  },
  de: {
    about: "Zeigt eine Nachricht mit Knöpfen für Rollen",
    took: "Du hast jetzt die Rolle {role}.",
    swapped: "Du hast jetzt die Rolle {role} und nicht mehr {others}.",
    dropped: "Du hast die Rolle {role} nicht mehr.",
    refused: "Die Plattform hat die Rolle {role} nicht geändert. Frage das Team dieses Servers.",
    gone: "Diese Rolle gibt es hier nicht mehr.",
    noRoles: "Auf dieser Plattform kann ein Bot keine Rollen vergeben.",
    outside: "Rollen gehören zu einem Server oder einer Gruppe: Drücke den Knopf dort.",
    noPanel: "Es gibt keine Nachricht {panel}. Es gibt: {panels}",
    unknown: "Der Server hat keine Rolle mit der Kennung {ids}. Berichtige die Konfiguration.",
  },
} as const
