export const signin = {
  title: "Sign in to Nestor",
  serverToken: "Server token",
  name: "Name or e-mail",
  password: "Password",
  signingIn: "Signing in…",
  signIn: "Sign in",
  usePassword: "Use a password instead",
  useToken: "Use the server token instead",
  whereToken: "The token is the value of {name} where the server was started.",
  ownMachine: "On your own machine, run {command}: it prints an address that signs you in.",
};
