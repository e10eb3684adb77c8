import { type FormEvent, useState } from "react";
import { signIn, signInWithToken } from "./api/calls";
import { base } from "./base";
import { useAction } from "./ui/action";
import { Button } from "./ui/button";
import { Field } from "./ui/field";
import { Notice } from "./ui/notice";
import { words } from "./words";
import { phrase } from "./words/phrase";

const say = words.signin;

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
          <img src={`${base}/favicon.svg`} alt="" className="size-9" />
          <h1 className="text-xl font-semibold">{say.title}</h1>
        </div>
        {byToken ? (
          <Field
            key="token"
            label={say.serverToken}
            type="password"
            value={token}
            onChange={setToken}
            autoComplete="off"
            required
          />
        ) : (
          <>
            <Field label={say.name} value={login} onChange={setLogin} autoComplete="username" required />
            <Field
              label={say.password}
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
          {busy ? say.signingIn : say.signIn}
        </Button>
        <Button kind="quiet" type="button" onClick={() => setByToken(!byToken)} className="w-full">
          {byToken ? say.usePassword : say.useToken}
        </Button>
        <p className="text-sm text-soft">
          {byToken
            ? phrase(say.whereToken, { name: <code className="font-mono">NESTOR_TOKEN</code> })
            : phrase(say.ownMachine, { command: <code className="font-mono">nestor link</code> })}
        </p>
      </form>
    </main>
  );
}
