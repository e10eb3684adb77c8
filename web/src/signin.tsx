import { type FormEvent, useState } from "react";
import { signIn, signInWithToken } from "./api/calls";
import { useAction } from "./ui/action";
import { Button } from "./ui/button";
import { Field } from "./ui/field";
import { Notice } from "./ui/notice";

/** For a browser that the server does not know. */
export function SignIn() {
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const [token, setToken] = useState("");
  const [byToken, setByToken] = useState(false);
  const { busy, error, run } = useAction();
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    if (await run(() => (byToken ? signInWithToken(token) : signIn(login, password)))) {
      location.reload();
    }
  };
  return (
    <main className="flex min-h-dvh items-center justify-center bg-panel p-4">
      <form
        onSubmit={submit}
        className="w-full max-w-sm space-y-4 rounded-2xl border border-line bg-raised p-6 shadow-sm"
      >
        <div className="flex items-center gap-3">
          <img src="/favicon.svg" alt="" className="size-9" />
          <h1 className="text-xl font-semibold">Sign in to Nestor</h1>
        </div>
        {byToken ? (
          <Field
            key="token"
            label="Server token"
            type="password"
            value={token}
            onChange={setToken}
            autoComplete="off"
            required
          />
        ) : (
          <>
            <Field
              label="Name or e-mail"
              value={login}
              onChange={setLogin}
              autoComplete="username"
              required
            />
            <Field
              label="Password"
              type="password"
              value={password}
              onChange={setPassword}
              autoComplete="current-password"
              required
            />
          </>
        )}
        {error && <Notice text={error} />}
        <Button kind="primary" type="submit" disabled={busy} className="w-full py-2">
          {busy ? "Signing in…" : "Sign in"}
        </Button>
        <Button kind="quiet" type="button" onClick={() => setByToken(!byToken)} className="w-full">
          {byToken ? "Use a password instead" : "Use the server token instead"}
        </Button>
        <p className="text-sm text-soft">
          {byToken ? (
            <>
              The token is the value of <code className="font-mono">NESTOR_TOKEN</code> where the server was
              started.
            </>
          ) : (
            <>
              On your own machine, run <code className="font-mono">nestor link</code>: it prints an address
              that signs you in.
            </>
          )}
        </p>
      </form>
    </main>
  );
}
