// cdk deploy [-c every=MINUTES]: how often the rule comes.
import { App } from "aws-cdk-lib";
import { PreciseExpiry } from "./stack";

const app = new App();
new PreciseExpiry(app, "PreciseExpiry", { every: Number(app.node.getContext("every")) });
