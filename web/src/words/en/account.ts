export const account = {
  pages: {
    documents: "Documents",
    priorities: "Priorities",
    graphs: "Graphs",
    operations: "Operations",
  },
  signOut: "Sign out",
  unsent: (count: number) =>
    `${
      count === 1
        ? "One text has not been sent or saved yet and will be"
        : `${count} texts have not been sent or saved yet and will be`
    } lost if you sign out.`,
  unsavedGraphs: (count: number) =>
    `${count === 1 ? "Changes of a graph are" : `Changes of ${count} graphs are`} not saved yet and will be lost if you sign out.`,
  signOutAnyway: "Sign out anyway",
  stay: "Stay",
};
